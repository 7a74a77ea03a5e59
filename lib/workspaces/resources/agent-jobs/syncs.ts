import { type RawBuilder, sql } from 'kysely';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { PendingSync, WorkspaceParts } from '../../contract.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses } from '../run-lifecycle/status.ts';
import { addOnce } from './logs.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'pendingSyncs' | 'runs'>;

/** Runs of a pool whose logs get a note in one request. */
const notesMax = 20;

/** The syncs that plans wait for now: those that began to wait less than the limit ago, so that a sync that fails for long delays no run. */
export const awaitedSyncs = ({ pendingSyncs, runs }: Parts): Promise<readonly PendingSync[]> =>
  runs.syncWaitMs === 0 ? Promise.resolve([]) : pendingSyncs(runs.syncWaitMs);

/** The condition that one of the syncs writes variables of workspace `w`, itself or by a variable set. */
export function writesVariables(syncs: readonly PendingSync[]): RawBuilder<unknown> {
  if (syncs.length === 0) return sql`false`;
  const named = (name: keyof PendingSync) => syncs.flatMap((one) => one[name] ?? []);
  return sql`(w.id = any(${named('workspaceId')}::text[])
    or (select o.name || '/' || w.name from ws_organizations o where o.id = w.organization_id) = any(${named('workspace')}::text[])
    or exists (select 1 from ws_variable_sets s
                left join ws_variable_set_workspaces sw on sw.variable_set_id = s.id and sw.workspace_id = w.id
                left join ws_variable_set_projects sp on sp.variable_set_id = s.id and sp.project_id = w.project_id
               where s.id = any(${named('variableSetId')}::text[]) and s.organization_id = w.organization_id
                 and (s.global or sw.workspace_id is not null or sp.project_id is not null)))`;
}

/** The condition that run `r` of workspace `w` has to wait for these syncs. Only plans wait: an apply has the variables of its plan. */
export const waitsForSyncs = ({ runs }: Pick<Parts, 'runs'>, syncs: readonly PendingSync[]): RawBuilder<unknown> => sql`
  (r.status = 'pending' and (r.timestamps->>${queuedStatuses.plan_queued.since}::text)::timestamptz
     > now() - make_interval(secs => ${runs.syncWaitMs / 1_000}::float8) and ${writesVariables(syncs)})`;

/** The number of these syncs that write variables of a workspace. */
export async function syncsOf(
  { store }: Pick<Parts, 'store'>,
  workspaceId: string,
  syncs: readonly PendingSync[],
): Promise<number> {
  let count = 0;
  const answers = new Map<string, boolean>();
  for (const one of syncs) {
    const key = JSON.stringify(one);
    const known = answers.get(key);
    const writes = known ?? (await isWrittenBy(store.db, workspaceId, one));
    answers.set(key, writes);
    if (writes) count += 1;
  }
  return count;
}

async function isWrittenBy(
  db: WorkspaceParts['store']['db'],
  workspaceId: string,
  sync: PendingSync,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ws_workspaces w where w.id = ${workspaceId} and ${writesVariables([sync])}`.execute(db);
  return rows.length > 0;
}

export const syncSentence = (count: number): string =>
  `Waiting for ${count === 1 ? 'a sync' : `${count} syncs`} to the variables of this workspace.`;

/** Notes in the logs of the plans that wait for syncs what they wait for. `waiting` selects runs `r` of workspaces `w`. */
export async function noteSyncs(
  parts: Parts,
  waiting: RawBuilder<unknown>,
  syncs: readonly PendingSync[],
): Promise<void> {
  if (syncs.length === 0) return;
  const { rows } = await rowsOf({ id: text, workspace_id: text })`
    select r.id, r.workspace_id from ${waiting} and ${waitsForSyncs(parts, syncs)} limit ${notesMax}`.execute(
    parts.store.db,
  );
  for (const row of rows) {
    const sentence = syncSentence(await syncsOf(parts, row.workspace_id, syncs));
    await changeRun(parts, row, async (tx, run) => {
      if (run.status === 'pending') await addOnce(tx, parts.store, { run, part: 'plan' }, sentence);
    });
  }
}
