import { z } from 'zod';
import { Secret } from '#core/secret.ts';
import { taken } from './material.ts';
import { Cut } from './padded.ts';
import { type Connection, type Request, send } from './send.ts';

/** A job, and the connection with the token of its run. */
export interface TakenJob {
  readonly id: string;
  readonly runId: string;
  readonly part: 'plan' | 'apply';
  readonly connection: Connection;
}

export const documentOf = <A extends z.ZodType>(attributes: A) =>
  z.object({ data: z.object({ id: z.string(), attributes }) });

/** More than any server lets an agent wait in silence, so that the server ends the wait. */
const silenceMsMax = 75_000;
/** After so many waits in a row that something on the way has cut off, the server is asked for waits that end within a minute. */
const cutsMax = 2;
/** For how long it is asked for those, in milliseconds. */
const plainMs = 3_600_000;

/** The requests with the token of a pool. */
export class Pool {
  readonly #connection: Connection;
  #cuts = 0;
  #plainUntilMs = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @returns the id of the agent */
  async register(agent: { readonly name: string; readonly version: string }): Promise<string> {
    const document = { data: { type: 'agents', attributes: agent } };
    const reply = await send(this.#connection, { method: 'POST', path: '/agents', document });
    return documentOf(z.unknown()).parse(await reply.json()).data.id;
  }

  /**
   * Waits for a job, as long as the server chooses. Undefined: there was none in that time. `onSign` is called whenever the server shows that it
   * lives.
   *
   * @throws the reason when `signal` aborts
   */
  async take(agentId: string, signal: AbortSignal, onSign: () => void = () => {}): Promise<TakenJob | undefined> {
    const path = `/agents/${agentId}/actions/take`;
    const reply = await this.#waitFor({ method: 'POST', path, signal, timeoutMs: silenceMsMax }, onSign);
    if (reply === undefined || reply.status === 204) return undefined;
    const { id, attributes } = documentOf(taken).parse(await reply.json()).data;
    const connection = { ...this.#connection, token: new Secret(attributes.token) };
    return { id, runId: attributes['run-id'], part: attributes.part, connection };
  }

  /** Undefined when the wait was cut off. */
  async #waitFor(
    request: Request & { readonly signal: AbortSignal },
    onSign: () => void,
  ): Promise<Response | undefined> {
    if (performance.now() < this.#plainUntilMs) return send(this.#connection, request);
    const document = { data: { type: 'agents', attributes: { padded: true } } };
    try {
      const reply = await send(this.#connection, { ...request, document, onSign });
      this.#cuts = 0;
      return reply;
    } catch (error) {
      if (!(error instanceof Cut) || request.signal.aborted) throw error;
      this.#cuts += 1;
      if (this.#cuts < cutsMax) return undefined;
      this.#cuts = 0;
      this.#plainUntilMs = performance.now() + plainMs;
      return undefined;
    }
  }

  async exit(agentId: string): Promise<void> {
    await send(this.#connection, { method: 'POST', path: `/agents/${agentId}/actions/exit` });
  }
}
