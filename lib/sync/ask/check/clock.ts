import type { Clock } from '#core/clock.ts';
import { guardedFetch } from '#network/fetch.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import type { DialEvent } from '#network/trace.ts';

export interface ClockReading {
  /** `host:port` of the system. */
  readonly target: string;
  /** How far its clock is ahead of ours, in seconds. Absent: it did not say its time. */
  readonly aheadSeconds?: number;
}

interface ClockParts {
  readonly clock: Clock;
  readonly timeouts: { readonly connectMs: number; readonly requestMs: number };
}

/** The header has whole seconds. */
const halfSecondMs = 500;

/**
 * Compares the clock of the worker with that of the first system that was reached, by the header Date of an answer to a request
 * without credentials. Undefined when no system was reached.
 */
export async function readClock(
  policy: NetworkPolicy,
  { clock, timeouts }: ClockParts,
  events: readonly DialEvent[],
  signal: AbortSignal,
): Promise<ClockReading | undefined> {
  const reached = events.find(({ step, failure }) => step === 'connection' && failure === undefined);
  if (reached === undefined || signal.aborted) return undefined;
  const { host, port } = reached;
  const isOf = (event: DialEvent) => event.host === host && event.port === port && event.step === 'tls';
  const secure = events.some(isOf);
  if (secure && !events.some((event) => isOf(event) && event.failure === undefined)) return undefined;
  const { fetch, close } = guardedFetch(policy, { ...timeouts, obtained: undefined });
  try {
    const before = clock.now().getTime();
    const authority = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
    const url = `${secure ? 'https' : 'http'}://${authority}:${port}/`;
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal });
    const ours = (before + clock.now().getTime()) / 2;
    const theirs = Date.parse(answer.headers.get('date') ?? '');
    const target = `${host}:${port}`;
    if (Number.isNaN(theirs)) return { target };
    return { target, aheadSeconds: Math.round((theirs + halfSecondMs - ours) / 1_000) };
  } catch {
    // The login has already shown whether the system answers.
    return undefined;
  } finally {
    await close();
  }
}
