import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Entry } from '#core/concurrency/linked-set.ts';
import { yieldToOthers } from '#core/concurrency/yielding.ts';
import { AppError, badRequest } from '#core/errors.ts';
import { longBody } from '../connection/long-body.ts';
import type { IncomingBody } from '../exchange.ts';
import { type Arriving, type BodyMemory, type Held, tooMuch } from './memory.ts';
import { textOf, Utf8Pieces } from './utf8.ts';

/** Cost of a piece of a body beside its bytes; a sender may make pieces very small. */
const pieceBytes = 256;
/** Cost of a member of the data beside its text. */
const memberBytes = 128;
/** Pause between two pieces of a body that is being discarded. */
const discardPauseMs = 2;

/**
 * The body of a request, read in at most two parts. An unread rest is received and discarded within the time limit of the request,
 * so that the client sees the answer and can reuse the connection.
 */
export class BodyReader implements IncomingBody, Arriving {
  readonly length: number | undefined;
  entry: Entry<Arriving> | undefined;
  readonly #stream: Readable;
  readonly #memory: BodyMemory;
  readonly #held: Held = { first: 0, large: 0, members: 0 };
  #pieces: Buffer[] = [];
  #part: 'first' | 'large' = 'first';
  #bytes = 0;
  #members = 0;
  #storedBytes = 0;
  #released = false;
  #discarding: Promise<void> | undefined;
  #stopFirst: ((error: Error) => void) | undefined;

  /** `length`: from the head of the request; undefined when the head has none. */
  constructor(stream: Readable, length: number | undefined, memory: BodyMemory) {
    this.#stream = stream;
    this.length = length;
    this.#memory = memory;
  }

  async first(bytesMax: number): Promise<boolean> {
    if (this.length === 0) return true;
    if (this.length !== undefined && this.length > bytesMax) return false;
    const isComplete = await this.#readFirst(bytesMax);
    this.#memory.arrived(this);
    return isComplete;
  }

  text(): string {
    const [first] = this.#pieces;
    if (first === undefined) return '';
    return textOf(this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces));
  }

  async rest(bytesMax: number, take: (piece: string) => void): Promise<void> {
    this.#part = 'large';
    if (this.length !== undefined) this.#hold('large', this.length);
    const text = new Utf8Pieces();
    for await (const bytes of this.#allPieces(bytesMax)) {
      for (const piece of text.add(bytes)) {
        await yieldToOthers();
        take(piece);
      }
    }
    await yieldToOthers();
    take(text.end());
  }

  async *pieces(bytesMax: number): AsyncGenerator<Buffer> {
    if (this.length !== undefined && this.length > bytesMax) throw tooLarge(bytesMax);
    try {
      for await (const bytes of longBody(this.#stream)) {
        this.#bytes += bytes.length;
        if (this.#bytes > bytesMax) throw tooLarge(bytesMax);
        yield bytes;
      }
    } catch (error) {
      throw error instanceof AppError ? error : cutShort();
    }
  }

  hold(bytes: number): void {
    // A request that was answered for taking too long may still be running; memory reserved now would never be released.
    if (this.#released) throw new AppError('unavailable', 'the request has been answered already');
    // A transaction that is run again no longer needs what it read before.
    const more = Math.max(0, bytes - this.#storedBytes);
    this.#memory.takeStored(this, more);
    this.#storedBytes += more;
    this.#held.large += more;
  }

  weigh(members: number): void {
    const more = members - this.#members;
    this.#members = members;
    if (this.#part === 'first') this.#hold('first', more * memberBytes);
    else this.#hold('members', more);
  }

  release(): void {
    this.#released = true;
    this.#memory.arrived(this);
    this.#memory.give(this, this.#held);
    Object.assign(this.#held, { first: 0, large: 0, members: 0 });
    this.#pieces = [];
    if (this.length !== 0) this.#discarding ??= discard(this.#stream);
  }

  async gone(): Promise<void> {
    await this.#discarding;
  }

  giveWay(): void {
    this.#stopFirst?.(tooMuch());
    this.release();
  }

  #readFirst(bytesMax: number): Promise<boolean> {
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const settle = (then: () => void) => {
        stream.off('data', onData).off('end', onEnd).off('error', onError);
        this.#stopFirst = undefined;
        then();
      };
      const onEnd = () => settle(() => resolve(true));
      const onError = () => settle(() => reject(cutShort()));
      this.#stopFirst = (error) => settle(() => reject(error));
      const onData = (bytes: Buffer) => {
        try {
          this.#hold('first', bytes.length + pieceBytes);
        } catch (error) {
          settle(() => reject(error));
          return;
        }
        this.#pieces.push(bytes);
        this.#bytes += bytes.length;
        if (this.#bytes <= bytesMax) return;
        stream.pause();
        settle(() => resolve(false));
      };
      stream.on('data', onData).on('end', onEnd).on('error', onError);
    });
  }

  /** The pieces received so far, then those that arrive. */
  async *#allPieces(bytesMax: number): AsyncGenerator<Buffer> {
    yield* this.#pieces.splice(0);
    try {
      for await (const bytes of this.#stream.iterator({ destroyOnReturn: false })) {
        this.#bytes += bytes.length;
        if (this.#bytes > bytesMax) throw tooLarge(bytesMax);
        if (this.length === undefined) this.#hold('large', bytes.length);
        yield bytes;
      }
    } catch (error) {
      throw error instanceof AppError ? error : cutShort();
    }
  }

  #hold(what: keyof Held, count: number): void {
    if (what === 'first') this.#memory.takeFirst(this, count);
    else this.#memory.takeLarge(what, count);
    this.#held[what] += count;
  }
}

/** Discards the rest slowly, so that many senders take little time from the requests that are being answered. */
async function discard(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  try {
    for await (const _bytes of stream.iterator({ destroyOnReturn: false })) await delay(discardPauseMs);
  } catch {
    // The sender has disconnected.
  }
}

export const tooLarge = (bytesMax: number): AppError =>
  new AppError('too-large', `request body too large: this path takes at most ${bytesMax} bytes`);

const cutShort = (): AppError => badRequest('the request body is incomplete');
