import { type ChildProcess, fork } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { functionEnvironment, type LocalSqs } from '../../app/sqs.ts';
import { httpEvent, scheduledEvent, sqsEvent } from './events.ts';
import { functionsOf, type Template, type TemplateFunction } from './template.ts';

export interface PlatformOptions {
  readonly template: Template;
  /** Folder of the packed functions. */
  readonly packages: string;
  /** Folder to unpack them in. */
  readonly folder: string;
  /** What `{{resolve:secretsmanager:…:<name>}}` stands for, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly sqs: LocalSqs;
  /** Changes to the settings of every function. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Runs packed functions as the cloud does: each in a separate process that has only its package and its settings. */
export class Platform {
  readonly #options: PlatformOptions;
  readonly #running = new Map<string, ChildProcess>();
  readonly #calls = new Map<string, Promise<unknown>>();

  constructor(options: PlatformOptions) {
    this.#options = options;
  }

  /** Another platform with the same packages and other settings. */
  with(settings: Readonly<Record<string, string>>): Platform {
    return new Platform({ ...this.#options, settings: { ...this.#options.settings, ...settings } });
  }

  /** An HTTP request, by the API. */
  async request(method: string, path: string, token?: string, body?: unknown) {
    const answer = (await this.invoke('api', httpEvent(method, path, token, body))) as HttpAnswer;
    return { status: answer.statusCode, body: answer.body === '' ? {} : JSON.parse(answer.body) };
  }

  /** Delivers the messages of the doorbell queue to the worker, and drops those that did not fail. */
  async deliver(type: string): Promise<{ readonly delivered: number; readonly failed: number }> {
    const { sqs } = this.#options;
    const messages = await sqs.receive(type);
    if (messages.length === 0) return { delivered: 0, failed: 0 };
    const answer = (await this.invoke(`sync-${type}`, sqsEvent(type, messages))) as BatchAnswer;
    const failed = new Set(answer.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    await sqs.remove(
      type,
      messages.filter(({ MessageId }) => !failed.has(String(MessageId))),
    );
    return { delivered: messages.length, failed: failed.size };
  }

  /** A tick of a schedule. */
  tick = (name: string, input: object = scheduledEvent(name)): Promise<unknown> => this.invoke(name, input);

  /**
   * A function has one process here, which gets one event at a time, like a process in the cloud.
   *
   * @throws Error with what the function threw
   */
  invoke(name: string, event: unknown): Promise<unknown> {
    const before = this.#calls.get(name) ?? Promise.resolve();
    const call = before.then(() => this.#call(name, event));
    this.#calls.set(
      name,
      call.catch(() => {}),
    );
    return call;
  }

  async close(): Promise<void> {
    const ends = [...this.#running.values()].map((child) => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      return ended;
    });
    await Promise.all(ends);
  }

  async #call(name: string, event: unknown): Promise<unknown> {
    const own = functionsOf(this.#options.template).find((one) => one.name === name);
    if (own === undefined) throw new Error(`no function ${name} in the template`);
    const child = this.#running.get(name) ?? (await this.#start(own));
    const { promise, resolve, reject } = Promise.withResolvers<{
      readonly result?: unknown;
      readonly error?: string;
    }>();
    const gone = (code: number | null) => reject(new Error(`${name} ended with ${String(code)}`));
    child.once('message', resolve).once('exit', gone);
    child.send({ event, timeoutMs: own.Timeout * 1_000 });
    const { result, error } = await promise;
    child.off('exit', gone);
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async #start(own: TemplateFunction): Promise<ChildProcess> {
    const folder = join(this.#options.folder, own.name);
    await mkdir(folder, { recursive: true });
    const files = unzipSync(await readFile(join(this.#options.packages, `${own.name}.zip`)));
    for (const [file, bytes] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), bytes);
    }
    const entry = join(folder, `${own.Handler.replace(/\.handler$/, '')}.cjs`);
    const runtime = new URL('runtime.ts', import.meta.url).pathname;
    const child = fork(runtime, [entry], { cwd: folder, env: this.#environmentOf(own), execArgv: [] });
    this.#running.set(own.name, child);
    return child;
  }

  #environmentOf({ Environment }: TemplateFunction): Record<string, string> {
    const { secrets, sqs, settings } = this.#options;
    const filled = Object.entries(Environment.Variables).map(([name, value]) => [
      name,
      typeof value === 'string' ? withSecret(value, secrets) : withQueues(value['Fn::Sub'], sqs),
    ]);
    return { ...functionEnvironment, ...Object.fromEntries(filled), ...settings };
  }
}

interface HttpAnswer {
  readonly statusCode: number;
  readonly body: string;
}

interface BatchAnswer {
  readonly batchItemFailures: readonly { readonly itemIdentifier: string }[];
}

const withSecret = (value: string, secrets: Readonly<Record<string, string>>): string =>
  value.replace(/^\{\{resolve:secretsmanager:[^}]*:SecretString:(\w+)\}\}$/, (_, name) => secrets[name] ?? '');

/** The reference to a queue is its address. */
const withQueues = (value: string, { queues }: LocalSqs): string =>
  value.replace(/"([a-z-]+)":"\$\{\w+\}"/g, (_, type) => `"${type}":"${queues[type]}"`);
