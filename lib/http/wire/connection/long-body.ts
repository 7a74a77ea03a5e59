import type { Readable } from 'node:stream';

/** Of a long body: between two pieces, all together, and when nobody wants the rest any more. */
export interface ArrivalLimits {
  readonly silenceMsMax: number;
  readonly wholeMsMax: number;
  readonly restMsMax: number;
}

const usualLimits: ArrivalLimits = { silenceMsMax: 60_000, wholeMsMax: 3_600_000, restMsMax: 30_000 };

interface Arrival {
  /** The time for a usual request is over. */
  late: boolean;
}

/** Connections over which a long body is arriving. */
const arrivals = new WeakMap<object, Arrival>();

/**
 * Whether the connection may go on although the time for a request is over, because a long body is arriving over it. The HTTP server
 * says this once for each request; from then on the limits of the body hold.
 */
export function mayArriveLate(connection: object): boolean {
  const arrival = arrivals.get(connection);
  if (arrival !== undefined) arrival.late = true;
  return arrival !== undefined;
}

/**
 * The pieces of a body that may take longer than the time for a request, as they come. A sender that is silent for too long is cut off.
 *
 * @throws Error of the stream when it does not arrive whole
 */
export async function* longBody(stream: Readable, limits: ArrivalLimits = usualLimits): AsyncGenerator<Buffer> {
  const connection: unknown = Reflect.get(stream, 'socket') ?? stream;
  const arrival: Arrival = { late: false };
  if (isObject(connection)) arrivals.set(connection, arrival);
  const cut = () => void stream.destroy(new Error('the body took too long to arrive'));
  const whole = setTimeout(cut, limits.wholeMsMax);
  const iterator: AsyncIterator<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      // The time that the reader takes for a piece is not the sender's.
      const silence = setTimeout(cut, limits.silenceMsMax);
      const next = await iterator.next().finally(() => clearTimeout(silence));
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    clearTimeout(whole);
    await iterator.return?.();
    if (isObject(connection)) arrivals.delete(connection);
    // The server does not look at this connection again before its next request.
    if (arrival.late && !stream.readableEnded) setTimeout(cut, limits.restMsMax).unref();
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
