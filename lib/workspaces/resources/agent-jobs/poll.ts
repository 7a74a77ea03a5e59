import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { Board } from './board.ts';
import { type TakenJob, type Taker, takeJob } from './take.ts';

/** Longest wait of one request for work, in seconds: below the minute after which proxies end a silent connection. */
export const waitSecondsMax = 55;
/** Agents that begin to wait together, as after a restart, ask again at different times. */
const spreadMs = 5_000;

/** The wait of a request that names none, in milliseconds. */
export const usualWaitMs = (): number => waitSecondsMax * 1_000 - Math.random() * spreadMs;

/** The agent that a request is about, for the token of its pool. @throws ApiError 404 */
export function takerOf(caller: ApiCaller, agentId: string): Taker {
  if (caller.kind !== 'agents') throw notFound();
  return { agentId, poolId: caller.id, organizationId: caller.organizationId, tokenId: caller.tokenId };
}

/**
 * The next job for an agent, waiting for one if there is none. A pool that the board has just found empty is not tried: the agent waits without a
 * statement. Undefined: there was none in time.
 *
 * @throws ApiError 404 when the pool does not have the agent, or it or its token was deleted meanwhile
 */
export async function nextJob(
  parts: WorkspaceParts,
  board: Board,
  taker: Taker,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<TakenJob | undefined> {
  const until = performance.now() + waitMs;
  let mayHaveWork = waitMs <= 0 || !board.isEmpty(taker.poolId);
  const exists = await (mayHaveWork ? board.presence.greet(taker) : board.presence.has(taker));
  if (!exists) throw notFound();
  while (!signal.aborted) {
    const taken = mayHaveWork ? await takeJob(parts, taker) : undefined;
    if (taken !== undefined) return taken;
    const woken = await board.wait(taker, until - performance.now(), signal);
    if (woken === 'gone') throw notFound();
    if (woken === 'over') return undefined;
    mayHaveWork = true;
  }
  return undefined;
}
