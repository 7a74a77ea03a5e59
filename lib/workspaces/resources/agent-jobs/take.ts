import { sql, type Transaction } from 'kysely';
import type { Secret } from '#core/secret.ts';
import { ApiError, notFound } from '#path/jsonapi/error.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { AgentName } from '../agents/store.ts';
import { hashOf, newTokenText } from '../authentication-tokens/text.ts';
import { type Part, report } from '../plans-and-applies/report.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { placesLeft } from './limit.ts';
import { addOnce, openLog } from './logs.ts';
import { type Candidate, candidates, isItsTurn, type Rules, waitingIn } from './pool.ts';
import { awaitedSyncs, noteSyncs, syncsOf, waitsForSyncs } from './syncs.ts';

/** A job that an agent has taken, with the token for it. */
export interface TakenJob {
  readonly runId: string;
  readonly part: Part;
  readonly token: Secret;
  /** When the part was queued; undefined when that is not known. */
  readonly queuedAt: string | undefined;
}

/** The lease of a job. Its agent extends it several times in this time. */
export const leaseSeconds = 60;
/** Runs that an agent tries in one request: others may take them first. */
const triesMax = 20;

/** An agent that asks for work, with a token of its pool. */
export interface Taker extends AgentName {
  readonly organizationId: string;
  readonly tokenId: string;
}

type Parts = Pick<WorkspaceParts, 'store' | 'runs' | 'pendingSyncs' | 'runBegan'>;

/** Takes the next job of the agent's pool. Undefined: there is none now. @throws ApiError 404 when the agent or its token was deleted */
export async function takeJob(parts: Parts, taker: Taker): Promise<TakenJob | undefined> {
  const { store } = parts;
  const syncs = await awaitedSyncs(parts);
  const rules = rulesOf(parts, syncs);
  await noteSyncs(parts, waitingIn(taker.poolId), syncs);
  for (const candidate of await candidates(store.db, taker.poolId, { countMax: triesMax, rules })) {
    const late = await syncsOf(parts, candidate.workspaceId, syncs);
    const job = await attempt(parts, taker, { ...candidate, rules, late });
    if (job === 'gone') throw notFound();
    if (job === undefined) continue;
    observe(parts, job);
    return job;
  }
  return undefined;
}

function observe({ store, runBegan }: Parts, { part, queuedAt }: TakenJob): void {
  const waitedMs = queuedAt === undefined ? Number.NaN : store.clock.now().getTime() - Date.parse(queuedAt);
  if (!Number.isNaN(waitedMs)) runBegan(part, Math.max(0, waitedMs / 1_000));
}

export const rulesOf = (parts: Pick<Parts, 'runs'>, syncs: Awaited<ReturnType<typeof awaitedSyncs>>): Rules => ({
  runsMax: parts.runs.perOrganizationMax,
  isHeld: waitsForSyncs(parts, syncs),
});

/** `gone`: the agent or its token was deleted. */
type Taken = TakenJob | 'gone' | undefined;

interface Try extends Candidate {
  readonly rules: Rules;
  /** Syncs that the plan does not wait for any longer. */
  readonly late: number;
}

/** Another agent may have been faster, or the run was canceled meanwhile. */
async function attempt(parts: Parts, taker: Taker, candidate: Try): Promise<Taken> {
  try {
    return await parts.store.transaction((tx) => take(tx, parts, taker, candidate));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return undefined;
    throw error;
  }
}

async function take(
  tx: Transaction<Database>,
  { store, runs }: Parts,
  taker: Taker,
  { runId, workspaceId, rules, late }: Try,
): Promise<Taken> {
  const { agentId, poolId, organizationId } = taker;
  if (!(await mayStill(tx, taker))) return 'gone';
  const places = await placesLeft(tx, organizationId, runs.perOrganizationMax);
  if (places <= 0) return undefined;
  await holdWorkspace(tx, workspaceId);
  const [still] = await candidates(tx, poolId, { only: sql`r.id = ${runId}`, countMax: 1, rules });
  if (still === undefined || !(await isItsTurn(tx, { organizationId, runId }, { places, rules }))) return undefined;
  const run = await readRun(tx, runId);
  const part = run.status === 'confirmed' ? 'apply' : 'plan';
  const token = newTokenText();
  await report(tx, store, { run, part, caller: { kind: 'agent', id: agentId }, attributes: { status: 'running' } });
  await openLog(tx, store, run, part);
  if (part === 'plan' && late > 0)
    await addOnce(tx, store, { run: await readRun(tx, runId), part }, lateSentence(late));
  await sql`
    insert into ws_run_jobs as j (run_id, part, agent_id, hash, lease_until, unused_until)
    select ${runId}, ${part}, ${agentId}, ${hashOf(store, token)}, until, until
      from (select now() + make_interval(secs => ${leaseSeconds}) as until) lease
    on conflict (run_id, part) do update
       set epoch = j.epoch + 1, agent_id = excluded.agent_id, hash = excluded.hash, lease_until = excluded.lease_until,
           unused_until = excluded.unused_until`.execute(tx);
  return { runId, part, token, queuedAt: run.timestamps[`${part}-queued-at`] };
}

/** Whether the agent and its token still exist, which may have been deleted while it waited. They stay until the transaction ends. */
async function mayStill(tx: Transaction<Database>, { agentId, poolId, tokenId }: Taker): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ws_agents a join ws_agent_tokens t on t.agent_pool_id = a.agent_pool_id
     where a.id = ${agentId} and a.agent_pool_id = ${poolId} and t.id = ${tokenId} for key share of a, t`.execute(tx);
  return rows.length > 0;
}

const lateSentence = (count: number): string =>
  `Not waiting any longer for ${count === 1 ? 'a sync' : `${count} syncs`} to the variables of this workspace: they may be those of before.`;
