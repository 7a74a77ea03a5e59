import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Place } from '../../../core/concurrency/under-way.ts';
import { yieldToOthers } from '../../../core/concurrency/yielding.ts';
import { AppError, badRequest } from '../../../core/errors.ts';
import { longBody } from '../connection/long-body.ts';
import type { IncomingBody } from '../exchange.ts';
import { type Arriving, type BodyMemory, type Held, tooMuch } from './memory.ts';
import { textOf, Utf8Pieces } from './utf8.ts';

/** What a piece of a body costs beside its bytes. Pieces may be as small as the sender likes. */
const pieceBytes = 256;
/** What a member of its data costs beside its text. */
const memberBytes = 128;
/** Between two pieces of a body that nobody wants any more. */
const awayPauseMs = 2;

/**
 * The body of a request, read in at most two parts. What is not read on is read away, within the time for the request, so that
 * the client sees the answer and the connection goes on.
 */
export class BodyReader implements IncomingBody, Arriving {
  readonly length: number | undefined;
  place: Place<Arriving> | undefined;
  readonly #stream: Readable;
  readonly #memory: BodyMemory;
  readonly #held: Held = { first: 0, large: 0, members: 0 };
  #pieces: Buffer[] = [];
  #part: 'first' | 'large' = 'first';
  #bytes = 0;
  #members = 0;
  #storedBytes = 0;
  #released = false;
  #readingAway: Promise<void> | undefined;
  #stopFirst: ((error: Error) => void) | undefined;

  /** `length`: as the request's head says it; undefined when it does not. */
  constructor(stream: Readable, length: number | undefined, memory: BodyMemory) {
    this.#stream = stream;
    this.length = length;
    this.#memory = memory;
  }

  async first(bytesMax: number): Promise<boolean> {
    if (this.length === 0) return true;
    if (this.length !== undefined && this.length > bytesMax) return false;
    const whole = await this.#readFirst(bytesMax);
    this.#memory.arrived(this);
    return whole;
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
    // Who was answered because it took too long may still be at work, and nobody would take back what it takes now.
    if (this.#released) throw new AppError('unavailable', 'the request has been answered already');
    // What a transaction read that is run again is not needed any more.
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
    if (this.length !== 0) this.#readingAway ??= readAway(this.#stream);
  }

  async gone(): Promise<void> {
    await this.#readingAway;
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

  /** The pieces there are, and those to come. */
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

/** Slowly: however many are still sending, they take little time from the requests that are being answered. */
async function readAway(stream: Readable): Promise<void> {
  if (stream.readableEnded || stream.destroyed) return;
  try {
    for await (const _bytes of stream.iterator({ destroyOnReturn: false })) await delay(awayPauseMs);
  } catch {
    // The sender has gone.
  }
}

export const tooLarge = (bytesMax: number): AppError =>
  new AppError('too-large', `request body too large: this path takes at most ${bytesMax} bytes`);

const cutShort = (): AppError => badRequest('the request body did not arrive whole');
