import type { Readable } from 'node:stream';

/** Time limits for a long body: between two pieces, in total, and for the unwanted rest. */
export interface ArrivalLimits {
  readonly silenceMsMax: number;
  readonly totalMsMax: number;
  readonly restMsMax: number;
}

const defaultLimits: ArrivalLimits = { silenceMsMax: 60_000, totalMsMax: 3_600_000, restMsMax: 30_000 };

interface Arrival {
  /** The time limit for a request has passed. */
  late: boolean;
}

/** Connections over which a long body is arriving. */
const arrivals = new WeakMap<object, Arrival>();

/**
 * Whether the connection may stay open past the time limit for a request, because a long body is arriving on it. The HTTP server
 * reports that limit once per request; from then on the limits of the body apply.
 */
export function mayArriveLate(connection: object): boolean {
  const arrival = arrivals.get(connection);
  if (arrival !== undefined) arrival.late = true;
  return arrival !== undefined;
}

/**
 * The pieces of a body as they arrive; it may take longer than the time limit for a request. A sender that pauses too long is cut
 * off.
 *
 * @throws Error of the stream when the body does not arrive completely
 */
export async function* longBody(stream: Readable, limits: ArrivalLimits = defaultLimits): AsyncGenerator<Buffer> {
  const connection: unknown = Reflect.get(stream, 'socket') ?? stream;
  const arrival: Arrival = { late: false };
  if (isObject(connection)) arrivals.set(connection, arrival);
  const cut = () => void stream.destroy(new Error('the body took too long to arrive'));
  const total = setTimeout(cut, limits.totalMsMax);
  const iterator: AsyncIterator<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      // The limit does not count the time that the reader takes for a piece.
      const silence = setTimeout(cut, limits.silenceMsMax);
      const next = await iterator.next().finally(() => clearTimeout(silence));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(total);
    await iterator.return?.();
    if (isObject(connection)) arrivals.delete(connection);
    // The server does not check this connection again before its next request.
    if (arrival.late && !stream.readableEnded) setTimeout(cut, limits.restMsMax).unref();
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
