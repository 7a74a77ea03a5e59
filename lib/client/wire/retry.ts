import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from './connection.ts';
import { exchange, type RawReply, type Request } from './exchange.ts';
import { CallFailure } from './failure.ts';

/** Requests that change nothing are repeated. */
const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'LIST']);
const retryMsMax = 10_000;

/** Repeats a safe call while the server is overloaded or unreachable; other calls are sent once. */
export async function exchangeWithRetries(connection: Connection, request: Request): Promise<RawReply> {
  const attemptsMax = safeMethods.has(request.method) ? Math.max(1, connection.attemptsMax) : 1;
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt >= attemptsMax;
    const outcome = await exchange(connection, request).catch((error: unknown) => {
      if (isLast || !(error instanceof CallFailure && error.kind === 'unreachable')) throw error;
      return undefined;
    });
    if (outcome !== undefined && (isLast || !isTemporary(outcome))) return outcome;
    await delay(delayMs(connection, attempt, outcome), undefined, { signal: request.signal });
  }
}

/** A sealed server stays sealed until it is given key shares. */
const isTemporary = ({ status, body }: RawReply): boolean =>
  status === 429 ||
  status === 502 ||
  status === 504 ||
  (status === 503 && !/sealed|initiali[sz]ed/i.test(body.toString()));

function delayMs({ retryMsFirst }: Connection, attempt: number, reply: RawReply | undefined): number {
  const asked = Number(reply?.headers['retry-after'] ?? 0) * 1_000;
  const own = retryMsFirst * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  return Math.min(retryMsMax, Math.max(own, Number.isFinite(asked) ? asked : 0));
}
