import type { Job } from '../api/job.ts';
import { readWritten, type Writer } from '../run/written.ts';

/** Interval of snapshots during an apply, in milliseconds: what a lost agent loses at most. */
const snapshotMs = 10_000;
const stateBytesMax = 256 * 1024 * 1024;

/** The header of a state precedes its outputs. */
const serialIn = /^(\s*\{[^{}[\]]*?"serial":\s*)(\d{1,15})/;
const lineageIn = /^\s*\{[^{}[\]]*?"lineage":\s*"([^"\\]{1,255})"/;

interface Followed {
  readonly workspaceId: string;
  /** The file of the state. */
  readonly path: string;
  readonly writer: Writer;
  /** The state that was there before; empty without one. */
  readonly present: string;
}

/** Brings states from the folder of the engine to the workspace. */
export class StateUploads {
  readonly #job: Job;
  readonly #followed: Followed;
  #known: string;
  #serial: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> = Promise.resolve();

  constructor(job: Job, followed: Followed) {
    this.#job = job;
    this.#followed = followed;
    this.#known = followed.present;
    this.#serial = Number(serialIn.exec(followed.present)?.[2] ?? -1);
  }

  /** Uploads snapshots until `end`, so that a lost agent does not take the whole state with it. */
  begin(): void {
    this.#timer = setTimeout(() => {
      this.#sending = this.#upload(true)
        .catch(() => {})
        .then(() => this.begin());
    }, snapshotMs);
  }

  /** Uploads the final state, if there is another one than before. @throws Refused, or an Error when it cannot be read */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#sending;
    clearTimeout(this.#timer);
    await this.#upload(false);
  }

  /** Whether the service has the state of the folder. One that cannot be read may be any. */
  async isStored(): Promise<boolean> {
    return this.#read().then(
      (text) => text === undefined || text === this.#known,
      () => false,
    );
  }

  async #upload(intermediate: boolean): Promise<void> {
    const text = await this.#read();
    // A final version makes the snapshots before it superfluous.
    if (text === undefined || (text === this.#known && (intermediate || !this.#hasSnapshots))) return;
    const found = Number(serialIn.exec(text)?.[2] ?? Number.NaN);
    const lineage = lineageIn.exec(text)?.[1];
    if (Number.isNaN(found) || lineage === undefined) {
      if (intermediate) return;
      throw new Error('The engine left a state that cannot be read.');
    }
    // The engine writes its file often under one serial; each version that is stored has one of its own.
    const serial = Math.max(found, this.#serial + 1);
    const bytes = new Uint8Array(Buffer.from(text.replace(serialIn, (_all, before: string) => `${before}${serial}`)));
    await this.#job.storeState(this.#followed.workspaceId, bytes, { serial, lineage, intermediate });
    this.#serial = serial;
    this.#known = text;
    this.#hasSnapshots = intermediate;
  }

  #hasSnapshots = false;

  async #read(): Promise<string | undefined> {
    const { path, writer } = this.#followed;
    return (await readWritten(path, writer, stateBytesMax))?.toString();
  }
}
