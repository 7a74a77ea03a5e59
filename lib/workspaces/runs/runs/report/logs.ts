import { sql } from 'kysely';
import { badRequest, notFound } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import type { Store } from '../../../../store/store.ts';
import { type Bearer, callerNow } from '../../../access/bearer.ts';
import { runLevels } from '../../../access/levels.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { countedByGrant, type Grant, grantIn, grantSecret } from '../../../states/blobs/grant.ts';
import { blobPart } from '../../../states/blobs/read.ts';
import { attachBlob, dropBlob, writeBlob } from '../../../states/blobs/write.ts';
import { changeRun } from '../actions.ts';
import { findRun, type RunRow, readRun } from '../store.ts';
import type { Part } from './report.ts';
import { logVerbs } from './view.ts';

const path = '/api/v2/run-logs/:grant';
const logBytesMax = 64 * 1024 * 1024;
/** Of one answer; clients ask on from where it ends. */
const pageBytesMax = 1024 * 1024;

/** Logs of plans and applies, at addresses that are secrets themselves. Clients read them piece by piece while they grow. */
export const logRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path,
    summary: 'A piece of a log',
    open: true,
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    async run(call) {
      const { verb, id } = grantIn(parts, call.parameters['grant'] ?? '', [logVerbs.getPlan, logVerbs.getApply]);
      const run = await readRun(parts.store.db, id);
      const blobId = verb === logVerbs.getPlan ? run.plan_log_id : run.apply_log_id;
      const range = {
        offset: numberOf(call, 'offset', 0),
        limit: Math.min(numberOf(call, 'limit', pageBytesMax), pageBytesMax),
      };
      const bytes = blobId === null ? Buffer.alloc(0) : await blobPart(parts.store, blobId, range);
      return { status: 200, bytes, contentType: 'text/plain; charset=utf-8' };
    },
  },
  {
    method: 'PUT',
    path,
    summary: 'Takes a log, in place of what there is of it',
    open: true,
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    streamBytesMax: logBytesMax,
    async run(call) {
      const grant = grantIn(parts, call.parameters['grant'] ?? '', [logVerbs.putPlan, logVerbs.putApply]);
      await replace(parts, call, grant, grant.verb === logVerbs.putPlan ? 'plan' : 'apply');
      return received;
    },
  },
];

const received: ApiReply = { status: 200 };

function numberOf({ query }: ApiCall, name: string, absent: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  if (!/^\d{1,12}$/.test(text)) throw badRequest(`${name} has to be a number of bytes`);
  return Number(text);
}

async function replace(parts: WorkspaceParts, call: ApiCall, { id: runId, bearer }: Grant, part: Part): Promise<void> {
  const { store } = parts;
  const run = await readRun(store.db, runId);
  await mustBeAgent(store, { run, part, bearer });
  const column = `${part}_log_id` as const;
  const blob = await writeBlob(store, { workspaceId: run.workspace_id, kind: 'log' }, call.stream);
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

/** A log comes from the agent of its part, as long as that may apply runs. @throws ApiError 404 */
async function mustBeAgent(store: Pick<Store, 'db'>, { run, part, bearer }: Writing): Promise<void> {
  if (bearer === undefined || run[part].agent !== bearer.id) throw notFound();
  await findRun(store, await callerNow(store, bearer), run.id, runLevels.apply);
}
