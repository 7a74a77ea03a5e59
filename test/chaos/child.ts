import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const haveSetpriv = spawnSync('setpriv', ['--version']).status === 0;
const startMsMax = 60_000;
const againMs = 300;
/** Lines of output to keep, for a process that ends or hangs. */
const tailLength = 4_000;
const tailLines = 10;

export interface KeptOptions {
  readonly name: string;
  /** Root folder of the repository. */
  readonly file: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly logFile: string;
  /** Called when the process exits after it was ready, without having been killed. */
  readonly onOwnEnd: (text: string) => void;
}

/** A process of the service that is restarted whenever it exits, as a supervisor does, until it is stopped. */
export class KeptProcess {
  readonly name: string;
  kills = 0;
  starts = 0;
  readonly #options: KeptOptions;
  readonly #log: WriteStream;
  #child: ChildProcess | undefined;
  #ready = false;
  #killed = false;
  #stopping = false;
  #running: Promise<void> | undefined;
  #tail = '';

  constructor(options: KeptOptions) {
    this.name = options.name;
    this.#options = options;
    this.#log = createWriteStream(options.logFile, { flags: 'a' });
  }

  get ready(): boolean {
    return this.#ready;
  }

  /** The last lines of its output. */
  get tail(): readonly string[] {
    return this.#tail.trimEnd().split('\n').slice(-tailLines);
  }

  start(): void {
    this.#running ??= this.#keep();
  }

  async untilReady(): Promise<void> {
    const deadline = Date.now() + startMsMax;
    while (!this.#ready) {
      if (Date.now() > deadline) throw new Error(`${this.name} was not ready in ${startMsMax} ms: ${this.#tail}`);
      await pause(20);
    }
  }

  /** Sends SIGKILL. The process is restarted at once. */
  kill(): void {
    if (!this.#ready || this.#child === undefined) return;
    this.kills += 1;
    this.#killed = true;
    this.#child.kill('SIGKILL');
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#child?.kill('SIGKILL');
    await this.#running;
    await new Promise((resolve) => this.#log.end(resolve));
  }

  async #keep(): Promise<void> {
    while (!this.#stopping) {
      const end = await this.#runOnce();
      this.#child = undefined;
      if (this.#ready && !this.#killed && !this.#stopping)
        this.#options.onOwnEnd(`${this.name} exited unexpectedly (${end})`);
      this.#ready = false;
      this.#killed = false;
      if (!this.#stopping) await pause(againMs);
    }
  }

  #runOnce(): Promise<string> {
    const { file, environment, logFile } = this.#options;
    const program = [process.execPath, file];
    // The kernel kills it when this process ends, also when this process is killed.
    const command = haveSetpriv ? ['setpriv', '--pdeathsig', 'SIGKILL', ...program] : program;
    // Restarts are most of the load, so compiled code is cached.
    const env = { PATH: process.env['PATH'], NODE_COMPILE_CACHE: dirname(logFile), ...environment };
    const child = spawn(command[0] ?? '', command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], env });
    this.#child = child;
    this.starts += 1;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (text: string) => this.#receive(child, text));
    }
    return new Promise((resolve) => {
      child.once('error', (cause) => resolve(cause.message));
      child.once('exit', (code, signal) => resolve(`${signal ?? code}: ${this.#tail.slice(-600)}`));
    });
  }

  /** Output that an ended process left in its pipe does not belong to the next one. */
  #receive(child: ChildProcess, text: string): void {
    if (!this.#stopping) this.#log.write(text);
    this.#tail = (this.#tail + text).slice(-tailLength);
    if (child === this.#child && /^ready /m.test(text)) this.#ready = true;
  }
}
