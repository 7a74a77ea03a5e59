import { sql } from 'kysely';
import { badRequest, notFound } from '#path/jsonapi/error.ts';
import { bytesBody } from '#path/jsonapi/input.ts';
import { type QueryField, readBy } from '#path/jsonapi/query.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import { type Bearer, callerNow } from '../../access/bearer.ts';
import { findFor } from '../../access/needs/needs.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { type RunRow, readRun } from '../run-lifecycle/store.ts';
import { countedByGrant, type Grant, grantIn, grantSecret } from '../state-blobs/grant.ts';
import { blobPart } from '../state-blobs/read.ts';
import { attachBlob, dropBlob, writeBlob } from '../state-blobs/write.ts';
import type { Part } from './report.ts';
import { logVerbs } from './view.ts';

const path = '/api/v2/run-logs/:grant';
const logBytesMax = 64 * 1024 * 1024;
/** Limit of one answer; clients continue from where it ends. */
const pageBytesMax = 1024 * 1024;

/** Notes in the log of a run that waits why it does. */
export type NoteWaiting = (runId: string) => Promise<void>;

/** Logs of plans and applies. Their addresses are secrets. Clients read them piece by piece while they grow. */
export const logRows = (parts: WorkspaceParts, noteWaiting: NoteWaiting): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path,
    summary: 'Read a part of a log',
    needs: { open: 'signed-address' },
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    query: { offset: bytes('offset', 0), limit: bytes('limit', pageBytesMax) },
    replies: { 200: { mediaType: 'text/plain' } },
    async run({ parameters, query: { offset, limit } }) {
      const { verb, id } = grantIn(parts, parameters.grant, [logVerbs.getPlan, logVerbs.getApply]);
      await noteWaiting(id);
      const run = await readRun(parts.store.db, id);
      const blobId = verb === logVerbs.getPlan ? run.plan_log_id : run.apply_log_id;
      const range = { offset, limit: Math.min(limit, pageBytesMax) };
      const part = blobId === null ? Buffer.alloc(0) : await blobPart(parts.store, blobId, range);
      return { status: 200, bytes: part, contentType: 'text/plain; charset=utf-8' };
    },
  }),
  operation({
    method: 'PUT',
    path,
    summary: 'Upload a log, replacing the present one',
    needs: { open: 'signed-address' },
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    streamBytesMax: logBytesMax,
    body: bytesBody,
    replies: { 200: null },
    async run({ parameters, stream }) {
      const grant = grantIn(parts, parameters.grant, [logVerbs.putPlan, logVerbs.putApply]);
      await replace(parts, stream, grant, grant.verb === logVerbs.putPlan ? 'plan' : 'apply');
      return received;
    },
  }),
];

const received: ApiReply = { status: 200 };

/** A number of bytes in the query. */
const bytes = (name: string, absent: number): QueryField<number> =>
  readBy([{ name, schema: { type: 'integer', minimum: 0, default: absent } }], (query) => {
    const text = query.get(name);
    if (text === null) return absent;
    if (!/^\d{1,12}$/.test(text)) throw badRequest(`${name} must be a number of bytes`);
    return Number(text);
  });

async function replace(
  parts: WorkspaceParts,
  stream: AsyncIterable<Buffer>,
  { id: runId, bearer }: Grant,
  part: Part,
): Promise<void> {
  const { store } = parts;
  const run = await readRun(store.db, runId);
  await mustBeAgent(store, { run, part, bearer });
  const column = `${part}_log_id` as const;
  const blob = await writeBlob(store, { workspaceId: run.workspace_id, kind: 'log' }, stream);
  try {
    await changeRun(parts, run, async (tx, now) => {
      await mustBeAgent({ db: tx }, { run: now, part, bearer });
      await attachBlob(tx, store, blob);
      await sql`update ws_runs set ${sql.ref(column)} = ${blob.id} where id = ${runId}`.execute(tx);
      await sql`delete from ws_blobs where id = ${now[column]}`.execute(tx);
    });
  } catch (error) {
    await dropBlob(store, blob.id);
    throw error;
  }
}

interface Writing {
  readonly run: RunRow;
  readonly part: Part;
  readonly bearer: Bearer | undefined;
}

/** Only the agent of a plan or apply uploads its log, while it has the right to apply runs. @throws ApiError 404 */
async function mustBeAgent(store: Pick<Store, 'db'>, { run, part, bearer }: Writing): Promise<void> {
  if (bearer === undefined || run[part].agent !== bearer.id) throw notFound();
  const caller = await callerNow(store, bearer);
  await findFor(store, { workspace: 'apply' }, { caller, parameters: {}, named: { workspace_id: run.workspace_id } });
}
