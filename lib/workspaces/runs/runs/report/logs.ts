import { sql } from 'kysely';
import { badRequest } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { grantIn } from '../../../states/blobs/grant.ts';
import { blobPart } from '../../../states/blobs/read.ts';
import { attachBlob, dropBlob, writeBlob } from '../../../states/blobs/write.ts';
import { changeRun } from '../actions.ts';
import { readRun } from '../store.ts';
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
    streamBytesMax: logBytesMax,
    async run(call) {
      const { verb, id } = grantIn(parts, call.parameters['grant'] ?? '', [logVerbs.putPlan, logVerbs.putApply]);
      await replace(parts, call, id, verb === logVerbs.putPlan ? 'plan_log_id' : 'apply_log_id');
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

async function replace(
  parts: WorkspaceParts,
  call: ApiCall,
  runId: string,
  column: 'plan_log_id' | 'apply_log_id',
): Promise<void> {
  const { store } = parts;
  const run = await readRun(store.db, runId);
  const blob = await writeBlob(store, { workspaceId: run.workspace_id, kind: 'log' }, call.stream);
  try {
    await changeRun(parts, run, async (tx, now) => {
      await attachBlob(tx, store, blob);
      await sql`update ws_runs set ${sql.ref(column)} = ${blob.id} where id = ${runId}`.execute(tx);
      await sql`delete from ws_blobs where id = ${now[column]}`.execute(tx);
    });
  } catch (error) {
    await dropBlob(store, blob.id);
    throw error;
  }
}
