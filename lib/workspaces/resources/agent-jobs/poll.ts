import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import type { Board, Wait } from './board.ts';
import { type TakenJob, type Taker, takeJob } from './take.ts';

/** Longest wait that a request may name, in seconds: below the minute after which proxies end a silent connection. */
export const waitSecondsMax = 55;
/** The same for a request that is sent white space while it waits. An agent whose machine has died seems to wait for this long. */
const paddedSecondsMax = 600;
/** Agents that begin to wait together, as after a restart, ask again at different times: their waits differ by up to this part. */
const spread = 0.1;

/** The wait of a request in milliseconds. `limitMs` holds for a request without white space. */
export function waitMsOf(
  seconds: number | undefined,
  { isPadded, limitMs }: { readonly isPadded: boolean; readonly limitMs: number },
): number {
  const usualMs = (isPadded ? paddedSecondsMax : waitSecondsMax) * 1_000 * (1 - Math.random() * spread);
  const waitMs = seconds === undefined ? usualMs : seconds * 1_000;
  return isPadded ? waitMs : Math.min(waitMs, limitMs);
}

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
  { waitMs, signal, isPadded }: Wait,
): Promise<TakenJob | undefined> {
  board.endEarlier(taker);
  const until = performance.now() + waitMs;
  const { work, presence } = board;
  const isEmpty = waitMs > 0 && work.isEmpty(taker.poolId);
  const exists = await (isEmpty ? presence.has(taker) : presence.greet(taker));
  if (!exists) throw notFound();
  let mayHaveWork = waitMs <= 0 || (await work.mayTake(taker.poolId));
  while (!signal.aborted) {
    const taken = mayHaveWork ? await takeJob(parts, taker) : undefined;
    if (taken !== undefined) return taken;
    const woken = await board.wait(taker, { waitMs: until - performance.now(), signal, isPadded });
    if (woken === 'gone') throw notFound();
    if (woken === 'over') return undefined;
    mayHaveWork = true;
  }
  return undefined;
}
