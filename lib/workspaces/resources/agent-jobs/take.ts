import { sql, type Transaction } from 'kysely';
import type { Secret } from '#core/secret.ts';
import { ApiError } from '#path/jsonapi/error.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { ping } from '../agents/store.ts';
import { hashOf, newTokenText } from '../authentication-tokens/text.ts';
import { type Part, report } from '../plans-and-applies/report.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { openLog } from './logs.ts';
import { type Candidate, candidates } from './pool.ts';

/** A job that an agent has taken, with the token for it. */
export interface TakenJob {
  readonly runId: string;
  readonly part: Part;
  readonly token: Secret;
}

/** The lease of a job. Its agent extends it several times in this time. */
export const leaseSeconds = 60;
/** Runs that an agent tries in one request: others may take them first. */
const triesMax = 20;

interface Taker {
  readonly agentId: string;
  readonly poolId: string;
}

/** Takes the next job of the agent's pool. Undefined: there is none now. */
export async function takeJob(parts: Pick<WorkspaceParts, 'store'>, taker: Taker): Promise<TakenJob | undefined> {
  const { store } = parts;
  await ping(store.db, taker.agentId);
  for (const candidate of await candidates(store.db, taker.poolId, { countMax: triesMax })) {
    const job = await attempt(store, taker, candidate);
    if (job !== undefined) return job;
  }
  return undefined;
}

/** Another agent may have been faster, or the run was canceled meanwhile. */
async function attempt(store: Store, taker: Taker, candidate: Candidate): Promise<TakenJob | undefined> {
  try {
    return await store.transaction((tx) => take(tx, store, taker, candidate));
  } catch (error) {
    if (error instanceof ApiError && (error.status === 409 || error.status === 404)) return undefined;
    throw error;
  }
}

async function take(
  tx: Transaction<Database>,
  store: Store,
  { agentId, poolId }: Taker,
  { runId, workspaceId }: Candidate,
): Promise<TakenJob | undefined> {
  await holdWorkspace(tx, workspaceId);
  const [still] = await candidates(tx, poolId, { only: sql`r.id = ${runId}`, countMax: 1 });
  if (still === undefined) return undefined;
  const run = await readRun(tx, runId);
  const part = run.status === 'confirmed' ? 'apply' : 'plan';
  const token = newTokenText();
  await report(tx, store, { run, part, caller: { kind: 'agent', id: agentId }, attributes: { status: 'running' } });
  await openLog(tx, store, run, part);
  await sql`
    insert into ws_run_jobs as j (run_id, part, agent_id, hash, lease_until)
    values (${runId}, ${part}, ${agentId}, ${hashOf(store, token)}, now() + make_interval(secs => ${leaseSeconds}))
    on conflict (run_id, part) do update
       set epoch = j.epoch + 1, agent_id = excluded.agent_id, hash = excluded.hash, lease_until = excluded.lease_until`.execute(
    tx,
  );
  return { runId, part, token };
}
