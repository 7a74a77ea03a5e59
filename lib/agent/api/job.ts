import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type Material, material } from './material.ts';
import { documentOf, type TakenJob } from './pool.ts';
import { type Request, send } from './send.ts';

/** The outcome of a job, by the names of the API. */
export interface Outcome {
  readonly status: 'finished' | 'errored' | 'canceled';
  readonly 'has-changes'?: boolean;
  readonly 'resource-additions'?: number;
  readonly 'resource-changes'?: number;
  readonly 'resource-destructions'?: number;
  readonly 'resource-imports'?: number;
  /** Of an assessment only. */
  readonly 'resources-drifted'?: number;
  readonly 'resources-undrifted'?: number;
  readonly 'checks-passed'?: number;
  readonly 'checks-failed'?: number;
  readonly 'checks-errored'?: number;
  readonly 'checks-unknown'?: number;
}

const stateAttributes = z.object({ 'hosted-state-upload-url': z.string().nullable() });
const fileMs = 600_000;
/** A service that hangs must not keep an agent from asking again. */
const extendTimeoutMs = 10_000;

/** The requests with the token of a run. */
export class Job {
  readonly #taken: TakenJob;
  #until: AbortSignal | undefined;

  constructor(job: TakenJob) {
    this.#taken = job;
  }

  get id(): string {
    return this.#taken.id;
  }

  get runId(): string {
    return this.#taken.runId;
  }

  get part(): 'plan' | 'apply' {
    return this.#taken.part;
  }

  /** The token of the run, for the engine: it reads the states that the workspace may read. */
  get connection(): TakenJob['connection'] {
    return this.#taken.connection;
  }

  /** From now on every request is repeated until the signal aborts, which ends it: a service that restarts loses nothing. */
  repeatUntil(signal: AbortSignal): void {
    this.#until = signal;
  }

  async read(): Promise<Material> {
    const reply = await this.#send({ method: 'GET', path: this.#path('') });
    return documentOf(material).parse(await reply.json()).data.attributes;
  }

  /** Extends the lease; who holds it asks again. @returns whether the run is to be canceled @throws Refused when the lease has ended */
  async extend(attemptsMax = 1): Promise<boolean> {
    const request = { method: 'POST', path: this.#path('/actions/extend'), timeoutMs: extendTimeoutMs } as const;
    const reply = await send(this.connection, { ...request, attemptsMax });
    const shape = documentOf(z.object({ 'cancel-requested': z.boolean() }));
    return shape.parse(await reply.json()).data.attributes['cancel-requested'];
  }

  /** Appends to the log, and returns its size. Without bytes it only asks for the size. */
  async log(offset?: number, bytes?: Uint8Array<ArrayBuffer>): Promise<number> {
    const path = this.#path(offset === undefined ? '/log' : `/log?offset=${offset}`);
    const reply = await this.#send({ method: 'POST', path, bytes: bytes ?? new Uint8Array(0) });
    return documentOf(z.object({ 'log-bytes': z.number() })).parse(await reply.json()).data.attributes['log-bytes'];
  }

  async configuration(): Promise<Response> {
    return this.#send({ method: 'GET', path: this.#path('/configuration'), timeoutMs: fileMs });
  }

  async planFile(): Promise<Response> {
    return this.#send({ method: 'GET', path: this.#path('/plan-file'), timeoutMs: fileMs });
  }

  async store(name: 'plan-file' | 'plan-json' | 'plan-redacted', bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#send({ method: 'POST', path: this.#path(`/${name}`), bytes, timeoutMs: fileMs });
  }

  async state(url: string): Promise<Buffer> {
    const reply = await this.#send({ method: 'GET', path: url, timeoutMs: fileMs });
    return Buffer.from(await reply.arrayBuffer());
  }

  /** Stores a state of the workspace; an intermediate one is a snapshot during the apply. */
  async storeState(
    workspaceId: string,
    bytes: Uint8Array<ArrayBuffer>,
    {
      serial,
      lineage,
      intermediate,
    }: { readonly serial: number; readonly lineage: string; readonly intermediate: boolean },
  ): Promise<void> {
    const md5 = createHash('md5').update(bytes).digest('hex');
    const document = {
      data: {
        type: 'state-versions',
        attributes: { serial, lineage, md5, intermediate },
        relationships: { run: { data: { type: 'runs', id: this.runId } } },
      },
    };
    const reply = await this.#send({ method: 'POST', path: `/workspaces/${workspaceId}/state-versions`, document });
    const url = documentOf(stateAttributes).parse(await reply.json()).data.attributes['hosted-state-upload-url'];
    if (url !== null) await this.#send({ method: 'PUT', path: url, bytes, timeoutMs: fileMs });
  }

  async finish(outcome: Outcome): Promise<void> {
    const document = { data: { type: 'agent-jobs', attributes: outcome } };
    await this.#send({ method: 'POST', path: this.#path('/actions/finish'), document });
  }

  #path(rest: string): string {
    return `/agent-jobs/${this.id}${rest}`;
  }

  #send(request: Request): Promise<Response> {
    return send(this.connection, { ...request, ...(this.#until === undefined ? {} : { until: this.#until }) });
  }
}
