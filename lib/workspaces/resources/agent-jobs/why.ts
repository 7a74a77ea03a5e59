import type { RowOf } from '#store/sql/columns.ts';
import { bool, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import { executionMode } from '../../access/standing.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { liveAgentsOf } from '../agents/store.ts';
import type { Part } from '../plans-and-applies/report.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses, type ShownStatus, shownStatus } from '../run-lifecycle/status.ts';
import { type RunRow, readRun } from '../run-lifecycle/store.ts';
import { runsInProgress } from './limit.ts';
import { addOnce } from './logs.ts';
import { chosenPoolOf, modeOfWorkspace, stillServes } from './pool.ts';
import { awaitedSyncs, syncSentence, syncsOf } from './syncs.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

/** The part that runs of a status wait for. */
const waitsFor: Readonly<Partial<Record<ShownStatus, Part>>> = {
  pending: 'plan',
  plan_queued: 'plan',
  apply_queued: 'apply',
};

/**
 * Notes in the log of a run that waits why it does, for the reader of the log: clients begin to read when a run is queued. Repeated reads add
 * nothing until the reason changes.
 */
export async function noteWaiting(parts: Parts, runId: string): Promise<void> {
  const run = await readRun(parts.store.db, runId);
  const status = shownStatus(run);
  const part = waitsFor[status];
  if (part === undefined) return;
  const sentence = await reasonOf(parts, run, part);
  if (sentence === undefined) return;
  await changeRun(parts, run, async (tx, now) => {
    if (shownStatus(now) === status) await addOnce(tx, parts.store, { run: now, part }, sentence);
  });
}

const columns = {
  mode: executionMode,
  pool: nullable(text),
  serves: nullable(bool),
  agents: int,
  organization_id: text,
  organization: text,
  lock_kind: nullable(text),
  lock_holder: nullable(text),
  locked_by: nullable(text),
};

type Place = RowOf<typeof columns>;

async function reasonOf(parts: Parts, run: RunRow, part: Part): Promise<string | undefined> {
  const { db } = parts.store;
  const { rows } = await rowsOf(columns)`
    select ${modeOfWorkspace} as mode, a.name as pool, ${stillServes} as serves, ${liveAgentsOf('a')} as agents, o.id as organization_id,
           o.name as organization, w.lock_kind, w.lock_holder,
           coalesce((select username from ws_users where id = w.lock_holder), (select name from ws_teams where id = w.lock_holder),
                    w.lock_holder) as locked_by
      from ${chosenPoolOf(run.workspace_id)}`.execute(db);
  const [place] = rows;
  if (place === undefined) return undefined;
  const obstacle = lockedSentence(run, place);
  // Behind other runs, or without its configuration.
  if (obstacle !== undefined || shownStatus(run) === 'pending') return obstacle;
  if (place.pool === null || place.serves !== true) return poolSentence(place);
  const syncs = part === 'plan' && isYoung(parts, run) ? await awaitedSyncs(parts) : [];
  const awaited = await syncsOf(parts, run.workspace_id, syncs);
  if (awaited > 0) return syncSentence(awaited);
  const busy = await runsInProgress(db, place.organization_id);
  if (busy >= parts.runs.perOrganizationMax)
    return `Waiting: ${busy} ${busy === 1 ? 'run' : 'runs'} of the organization are in progress, the most at the same time.`;
  return place.agents === 0
    ? `Waiting for an agent of the pool ${place.pool}: none is connected. Start one with a token of the pool.`
    : `Waiting for an agent of the pool ${place.pool}: ${place.agents} ${place.agents === 1 ? 'is' : 'are'} connected.`;
}

/** Undefined for a run that the lock does not hold up. */
function lockedSentence(run: RunRow, { lock_kind, lock_holder, locked_by }: Place): string | undefined {
  const takesLock = run.status !== 'pending' || !(run.plan_only || run.settings['save-plan'] === true);
  if (lock_kind === null || lock_holder === run.id || !takesLock) return undefined;
  if (lock_kind === 'runs') return `Waiting for ${locked_by}, which holds the lock of the workspace.`;
  return `Waiting: the workspace is locked by ${locked_by}. The run goes on when it is unlocked.`;
}

/** What keeps agents from executing the runs of a workspace, and what to do. Programs of the operator may still execute them. */
function poolSentence({ mode, pool, organization }: Place): string {
  if (pool !== null)
    return `Waiting: the agent pool ${pool} does not serve this workspace. Allow the workspace in the scope of the pool, or choose another pool.`;
  if (mode === 'local')
    return 'Waiting: the execution mode of the workspace is local now, and nothing executes its runs. Discard the run, or change the mode.';
  if (mode === 'agent')
    return 'Waiting: the execution mode of the workspace is agent, but no agent pool is chosen. Choose one for the workspace or its project.';
  return `Waiting: the organization ${organization} has no default agent pool. Set one, or choose the execution mode agent and a pool for the workspace.`;
}

/** Whether a plan may still wait for syncs. */
const isYoung = ({ store, runs }: Parts, { timestamps }: RunRow): boolean =>
  store.clock.now().getTime() - Date.parse(timestamps[queuedStatuses.plan_queued.since] ?? '') < runs.syncWaitMs;
