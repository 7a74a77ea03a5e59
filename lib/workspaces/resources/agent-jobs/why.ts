import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { liveAgentsOf } from '../agents/store.ts';
import type { Part } from '../plans-and-applies/report.ts';
import { changeRun } from '../run-lifecycle/change.ts';
import { queuedStatuses, shownStatus } from '../run-lifecycle/status.ts';
import { type RunRow, readRun } from '../run-lifecycle/store.ts';
import { runsInProgress } from './limit.ts';
import { addOnce } from './logs.ts';
import { poolOf } from './pool.ts';
import { awaitedSyncs, syncSentence, syncsOf } from './syncs.ts';

type Parts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs'>;

/** The part that a queued run waits for. */
const partOf = (run: RunRow): Part | undefined => {
  const status = shownStatus(run);
  if (status === 'plan_queued') return 'plan';
  return status === 'apply_queued' ? 'apply' : undefined;
};

/**
 * Notes in the log of a run that waits why it does, for the reader of the log: clients begin to read when a run is queued. Repeated reads add
 * nothing until the reason changes.
 */
export async function noteWaiting(parts: Parts, runId: string): Promise<void> {
  const run = await readRun(parts.store.db, runId);
  const part = partOf(run);
  if (part === undefined) return;
  const sentence = await reasonOf(parts, run, part);
  if (sentence === undefined) return;
  await changeRun(parts, run, async (tx, now) => {
    if (partOf(now) === part) await addOnce(tx, parts.store, { run: now, part }, sentence);
  });
}

const columns = { id: text, name: text, organization_id: text, agents: int };

async function reasonOf(parts: Parts, run: RunRow, part: Part): Promise<string | undefined> {
  const { db } = parts.store;
  const { rows } = await rowsOf(columns)`
    select a.id, a.name, a.organization_id, ${liveAgentsOf('a')} as agents from ${poolOf(run.workspace_id)}`.execute(
    db,
  );
  const [pool] = rows;
  // Programs of the operator may execute it, without a pool.
  if (pool === undefined) return undefined;
  const syncs = part === 'plan' && isYoung(parts, run) ? await awaitedSyncs(parts) : [];
  const awaited = await syncsOf(parts, run.workspace_id, syncs);
  if (awaited > 0) return syncSentence(awaited);
  const busy = await runsInProgress(db, pool.organization_id);
  if (busy >= parts.runs.perOrganizationMax)
    return `Waiting: ${busy} ${busy === 1 ? 'run' : 'runs'} of the organization are in progress, the most at the same time.`;
  const who = pool.agents === 0 ? 'none is connected' : `${pool.agents} ${pool.agents === 1 ? 'is' : 'are'} connected`;
  return `Waiting for an agent of the pool ${pool.name}: ${who}.`;
}

/** Whether a plan may still wait for syncs. */
const isYoung = ({ store, runs }: Parts, { timestamps }: RunRow): boolean =>
  store.clock.now().getTime() - Date.parse(timestamps[queuedStatuses.plan_queued.since] ?? '') < runs.syncWaitMs;
