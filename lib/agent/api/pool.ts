import { z } from 'zod';
import { Secret } from '#core/secret.ts';
import { taken } from './material.ts';
import { type Connection, send } from './send.ts';

/** A job, and the connection with the token of its run. */
export interface TakenJob {
  readonly id: string;
  readonly runId: string;
  readonly part: 'plan' | 'apply';
  readonly connection: Connection;
}

export const documentOf = <A extends z.ZodType>(attributes: A) =>
  z.object({ data: z.object({ id: z.string(), attributes }) });

/** More than any server lets an agent wait, so that the server ends the wait. */
const waitMs = 75_000;

/** The requests with the token of a pool. */
export class Pool {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** @returns the id of the agent */
  async register(agent: { readonly name: string; readonly version: string }): Promise<string> {
    const document = { data: { type: 'agents', attributes: agent } };
    const reply = await send(this.#connection, { method: 'POST', path: '/agents', document });
    return documentOf(z.unknown()).parse(await reply.json()).data.id;
  }

  /** Waits for a job, as long as the server chooses. Undefined: there was none in that time. @throws the reason when `signal` aborts */
  async take(agentId: string, signal: AbortSignal): Promise<TakenJob | undefined> {
    const path = `/agents/${agentId}/actions/take`;
    const reply = await send(this.#connection, { method: 'POST', path, signal, timeoutMs: waitMs });
    if (reply.status === 204) return undefined;
    const { id, attributes } = documentOf(taken).parse(await reply.json()).data;
    const connection = { ...this.#connection, token: new Secret(attributes.token) };
    return { id, runId: attributes['run-id'], part: attributes.part, connection };
  }

  async exit(agentId: string): Promise<void> {
    await send(this.#connection, { method: 'POST', path: `/agents/${agentId}/actions/exit` });
  }
}
