import { type RawBuilder, sql } from 'kysely';
import { Repeated } from '#core/concurrency/repeated.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { PendingSync, WorkspaceParts } from '../../contract.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses } from '../run-lifecycle/status.ts';
import { addOnce } from './logs.ts';
import { waitingIn } from './pool.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'pendingSyncs' | 'runs'>;

/** Runs of a pool whose logs get a note in one request. */
const notesMax = 20;

/** The syncs that plans wait for now: those that began to wait less than the limit ago, so that a sync that fails for long delays no run. */
export const awaitedSyncs = ({ pendingSyncs, runs }: Parts): Promise<readonly PendingSync[]> =>
  runs.syncWaitMs === 0 ? Promise.resolve([]) : pendingSyncs(runs.syncWaitMs);

/** The syncs as rows `s`, with the condition that `s` writes variables of workspace `w`, itself or by a variable set. */
function writing(syncs: readonly PendingSync[]): RawBuilder<unknown> {
  const each = (name: keyof PendingSync) => syncs.map((one) => one[name] ?? null);
  return sql`
    unnest(${each('workspaceId')}::text[], ${each('workspace')}::text[], ${each('variableSetId')}::text[]) s (id, name, set_id)
     where s.id = w.id
        or s.name = (select o.name || '/' || w.name from ws_organizations o where o.id = w.organization_id)
        or exists (select 1 from ws_variable_sets v
                    left join ws_variable_set_workspaces vw on vw.variable_set_id = v.id and vw.workspace_id = w.id
                    left join ws_variable_set_projects vp on vp.variable_set_id = v.id and vp.project_id = w.project_id
                   where v.id = s.set_id and v.organization_id = w.organization_id
                     and (v.global or vw.workspace_id is not null or vp.project_id is not null))`;
}

/** The condition that run `r` of workspace `w` has to wait for these syncs. Only plans wait: an apply has the variables of its plan. */
export const waitsForSyncs = ({ runs }: Pick<Parts, 'runs'>, syncs: readonly PendingSync[]): RawBuilder<unknown> =>
  syncs.length === 0
    ? sql`false`
    : sql`
  (r.status = 'pending' and (r.timestamps->>${queuedStatuses.plan_queued.since}::text)::timestamptz
     > now() - make_interval(secs => ${runs.syncWaitMs / 1_000}::float8) and exists (select 1 from ${writing(syncs)}))`;

/** The number of these syncs that write variables of a workspace. */
export async function syncsOf(
  { store }: Pick<Parts, 'store'>,
  workspaceId: string,
  syncs: readonly PendingSync[],
): Promise<number> {
  if (syncs.length === 0) return 0;
  const { rows } = await rowsOf({ count: int })`
    select (select count(*)::int from ${writing(syncs)}) as count from ws_workspaces w where w.id = ${workspaceId}`.execute(
    store.db,
  );
  return rows[0]?.count ?? 0;
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

/** Interval of the notes about runs that agents wait for, in milliseconds. */
const noteMs = 5_000;
/** Pools whose runs get notes in one round. */
const poolsMax = 20;

/** Notes in the logs of plans what they wait for while all agents of their pools wait. Runs are looked for far more often. */
export class HeldPools {
  readonly #parts: Parts;
  readonly #rounds = new Repeated({ everyMs: noteMs, goesOn: () => false, round: () => this.#round() });
  #pools: readonly string[] = [];
  #turn = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The pools that have runs which wait for syncs now. */
  note(pools: readonly string[]): void {
    this.#pools = pools;
    if (pools.length > 0) this.#rounds.begin();
  }

  close(): void {
    this.#rounds.close();
  }

  /** Of more pools than one round can take, each gets its turn. */
  async #round(): Promise<void> {
    const pools = this.#pools;
    const syncs = await awaitedSyncs(this.#parts);
    for (const _pool of pools.slice(0, poolsMax)) {
      this.#turn += 1;
      await noteSyncs(this.#parts, waitingIn(pools[this.#turn % pools.length] ?? ''), syncs);
    }
  }
}
