import { StringDecoder } from 'node:string_decoder';
import type { Mask } from '#core/log/mask.ts';
import type { Job } from '../api/job.ts';
import { Refused } from '../api/send.ts';
import { WaitingText } from './waiting-text.ts';

/** Interval at which new text is sent, in milliseconds. */
const sendEveryMs = 500;
/** What waits to be sent. When it is reached the engine waits. */
const waitingBytesMax = 1024 * 1024;
/** The server takes more, so that the last sentences always fit. */
export const logBytesMax = 60 * 1024 * 1024;

/** Sends the masked output of a job to its log, in order, in bounded memory. */
export class LogWriter {
  readonly #job: Pick<Job, 'log'>;
  readonly #mask: Mask;
  readonly #decoder = new StringDecoder('utf8');
  readonly #waiting = new WaitingText();
  #offset: number;
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;
  #isCut = false;
  #refusal: Refused | undefined;

  constructor(job: Pick<Job, 'log'>, mask: Mask, offset: number) {
    this.#job = job;
    this.#mask = mask;
    this.#offset = offset;
  }

  /** Adds output of the engine. Resolves when there is room for more. @throws Refused when the lease has ended */
  async write(piece: Buffer): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#add(this.#mask.take(this.#decoder.write(piece)));
    while (this.#waiting.bytes > waitingBytesMax) await this.#send();
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
    if (this.#refusal !== undefined) throw this.#refusal;
    this.#add(this.#mask.take(this.#decoder.end()) + this.#mask.end());
    while (this.#waiting.bytes > 0) await this.#send();
  }

  #add(text: string): void {
    if (text === '' || this.#isCut) return;
    this.#bytes += Buffer.byteLength(text);
    this.#isCut = this.#bytes > logBytesMax;
    this.#waiting.add(this.#isCut ? '\nThe log is too long: the rest is left out.\n' : text);
  }

  /** One request at a time. A piece that was sent twice is stored once, since it names its offset. */
  #send(): Promise<void> {
    this.#sending ??= this.#sendFirst().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  async #sendFirst(): Promise<void> {
    const bytes = this.#waiting.first();
    if (bytes.length === 0) return;
    await this.#job.log(this.#offset, bytes).catch((error: unknown) => {
      // What the server refuses is not sent again, and what follows it would wait without a bound.
      if (error instanceof Refused && !error.mayRepeat) this.#refusal = error;
      throw error;
    });
    this.#offset += bytes.length;
    this.#waiting.drop(bytes.length);
  }
}
