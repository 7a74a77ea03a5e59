import { notYet } from '#path/jsonapi/error.ts';

/** Bytes that a process holds of bodies whose signature is not checked yet: together, and of one client address. */
const bytesMax = { together: 32 * 1024 * 1024, ofAddress: 8 * 1024 * 1024 };

/** Keeps bodies of senders that nobody knows yet from filling the memory of a process. */
export class BodiesInFlight {
  #bytes = 0;
  readonly #byAddress = new Map<string, number>();

  /**
   * Reserves memory for a body until the returned function is called.
   *
   * @throws ApiError 503 when the address or all senders together have too many bodies in flight
   */
  reserve(address: string, bytes: number): () => void {
    const own = this.#byAddress.get(address) ?? 0;
    if (own + bytes > bytesMax.ofAddress || this.#bytes + bytes > bytesMax.together)
      throw notYet('Too many webhooks arrive at the same time');
    this.#change(address, bytes);
    return () => this.#change(address, -bytes);
  }

  #change(address: string, bytes: number): void {
    this.#bytes += bytes;
    const own = (this.#byAddress.get(address) ?? 0) + bytes;
    if (own > 0) this.#byAddress.set(address, own);
    else this.#byAddress.delete(address);
  }
}

/** The body in one piece. @throws ApiError 503 when `deadline` aborts before it has arrived; the errors of the stream */
export async function wholeBody(stream: AsyncIterable<Buffer>, deadline: AbortSignal): Promise<Buffer> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const stop = () => reject(notYet('The body took too long to arrive'));
  deadline.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([collect(stream, deadline), late]);
  } finally {
    deadline.removeEventListener('abort', stop);
  }
}

async function collect(stream: AsyncIterable<Buffer>, deadline: AbortSignal): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) {
    if (deadline.aborted) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
