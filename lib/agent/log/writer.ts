import { StringDecoder } from 'node:string_decoder';
import type { Mask } from '#core/log/mask.ts';
import type { Job } from '../api/job.ts';

/** Interval at which new text is sent, in milliseconds. */
const sendEveryMs = 500;
const pieceBytesMax = 512 * 1024;
/** What waits to be sent. When it is reached the engine waits. */
const waitingBytesMax = 4 * 1024 * 1024;
/** The server takes more, so that the last sentences always fit. */
export const logBytesMax = 60 * 1024 * 1024;

/** Sends the masked output of a job to its log, in order, in bounded memory. */
export class LogWriter {
  readonly #job: Job;
  readonly #mask: Mask;
  readonly #decoder = new StringDecoder('utf8');
  #offset: number;
  #waiting = Buffer.alloc(0);
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #isCut = false;

  constructor(job: Job, mask: Mask, offset: number) {
    this.#job = job;
    this.#mask = mask;
    this.#offset = offset;
  }

  /** Adds output of the engine. Resolves when there is room for more. @throws Refused when the lease has ended */
  async write(piece: Buffer): Promise<void> {
    this.#add(this.#mask.take(this.#decoder.write(piece)));
    while (this.#waiting.length > waitingBytesMax) await this.#send();
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#send().catch(() => {});
    }, sendEveryMs);
  }

  line(text: string): Promise<void> {
    return this.write(Buffer.from(`${text}\n`));
  }

  /** Sends all that is left. @throws Refused when the lease has ended */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#add(this.#mask.take(this.#decoder.end()) + this.#mask.end());
    while (this.#waiting.length > 0) await this.#send();
  }

  #add(text: string): void {
    if (text === '' || this.#isCut) return;
    const bytes = Buffer.from(text);
    this.#bytes += bytes.length;
    this.#isCut = this.#bytes > logBytesMax;
    const kept = this.#isCut ? Buffer.from('\nThe log is too long: the rest is left out.\n') : bytes;
    this.#waiting = Buffer.concat([this.#waiting, kept]);
  }

  /** One request at a time. A piece that was sent twice is stored once, since it names its offset. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendPiece().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendPiece(): Promise<void> {
    const piece = new Uint8Array(this.#waiting.subarray(0, pieceBytesMax));
    if (piece.length === 0) return;
    await this.#job.log(this.#offset, piece);
    this.#offset += piece.length;
    this.#waiting = this.#waiting.subarray(piece.length);
  }
}
