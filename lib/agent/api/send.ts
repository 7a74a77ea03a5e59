import { setTimeout as delay } from 'node:timers/promises';
import type { Secret } from '#core/secret.ts';
import { awaitReply, Cut } from './padded.ts';

/** The server as one token reaches it. */
export interface Connection {
  /** Without a trailing slash. */
  readonly address: string;
  readonly token: Secret;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT';
  /** Below `/api/v2`, or a whole address, which gets no token. */
  readonly path: string;
  readonly document?: object;
  readonly bytes?: Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
  /** The server may leave the request open and send white space: `timeoutMs` limits the silence, and this is called whenever bytes arrive. */
  readonly onSign?: () => void;
  /** How often it is sent at most. */
  readonly attemptsMax?: number;
  /** The request is repeated until this aborts, however often, and ends with it. */
  readonly until?: AbortSignal;
}

/** A reply that is no success. The message has no token and no signed address. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly status: number;

  constructor(what: string, status: number, detail: string) {
    super(`${what} was answered with ${status}${detail === '' ? '' : `: ${detail}`}`);
    this.status = status;
  }

  /** The server may answer otherwise later: it is busy or fails. */
  get mayRepeat(): boolean {
    return this.status === 429 || this.status >= 500;
  }

  /** The lease has ended, and with it the token. */
  get isOver(): boolean {
    return this.status === 401 || this.status === 404;
  }
}

const usualAttemptsMax = 6;
const firstDelayMs = 250;
const delayMsMax = 8_000;
const usualTimeoutMs = 30_000;

/**
 * Sends a request, again when the server cannot be reached, is busy or fails: every request of an agent may be repeated.
 *
 * @throws Refused, Cut, or the error of the last attempt
 */
export async function send(connection: Connection, request: Request): Promise<Response> {
  const { until, attemptsMax = until === undefined ? usualAttemptsMax : Number.POSITIVE_INFINITY } = request;
  const signals = [request.signal, until].filter((one) => one !== undefined);
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await once(connection, request).catch((error: unknown) => error);
    if (outcome instanceof Response) return outcome;
    const isFinal = outcome instanceof Cut || (outcome instanceof Refused && !outcome.mayRepeat);
    if (isFinal || attempt >= attemptsMax || signals.some(({ aborted }) => aborted)) throw outcome;
    const delayMs = Math.min(firstDelayMs * 2 ** attempt, delayMsMax) * (0.5 + Math.random() / 2);
    await delay(delayMs, undefined, { signal: AbortSignal.any(signals) }).catch(() => {});
  }
}

async function once(connection: Connection, request: Request): Promise<Response> {
  const { method, path, timeoutMs = usualTimeoutMs, onSign } = request;
  const ask = (limit: AbortSignal) => fetched(connection, request, limit);
  const reply =
    onSign === undefined
      ? await ask(AbortSignal.timeout(timeoutMs))
      : await awaitReply(ask, { silenceMsMax: timeoutMs, onSign });
  if (reply.ok) return reply;
  const what = `${method} ${isOutside(request) ? 'of a file' : (path.split('?', 1)[0] ?? '')}`;
  throw new Refused(what, reply.status, detailIn(await reply.text().catch(() => '')));
}

const isOutside = ({ path }: Request): boolean => !path.startsWith('/');

function fetched({ address, token }: Connection, request: Request, limit: AbortSignal): Promise<Response> {
  const { method, path, document, bytes } = request;
  const signals = [limit, request.signal, request.until].filter((one) => one !== undefined);
  const body = bytes ?? (document === undefined ? undefined : JSON.stringify(document));
  return fetch(isOutside(request) ? path : `${address}/api/v2${path}`, {
    method,
    headers: {
      'content-type': bytes === undefined ? 'application/vnd.api+json' : 'application/octet-stream',
      ...(isOutside(request) ? {} : { authorization: `Bearer ${token.reveal()}` }),
    },
    redirect: 'error',
    signal: AbortSignal.any(signals),
    ...(body === undefined ? {} : { body }),
  });
}

const detailCharactersMax = 300;

function detailIn(text: string): string {
  try {
    const [first] = JSON.parse(text).errors;
    return String(first.detail ?? first.title).slice(0, detailCharactersMax);
  } catch {
    return '';
  }
}
