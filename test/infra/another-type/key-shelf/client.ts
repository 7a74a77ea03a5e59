import { z } from 'zod';
import { DestinationFailure, type DriverContext, type FailureKind } from '#destinations/contract.ts';
import { retryAfterMs } from '#destinations/frame/answer/headers.ts';
import { noAnswer } from '#destinations/frame/answer/no-answer.ts';
import { jsonIn } from '#destinations/frame/answer/remote-text.ts';
import { baseUrl } from '#destinations/frame/fields/endpoint.ts';
import { guardedFetch } from '#network/fetch.ts';
import { strangeAdvice } from '#network/strange-answer.ts';
import type { Input } from '#path/fields.ts';
import { type fields, publicApi } from './fields.ts';

const item = z.object({ version: z.string(), mark: z.string().nullable() });
export type Item = z.output<typeof item>;

/** The precondition of a call: this version, or `none` for no item. Undefined: no precondition. */
export type Condition = string | undefined;

export interface Client {
  /** Undefined when the item does not exist. */
  look(name: string, signal: AbortSignal): Promise<Item | undefined>;
  /** @throws DestinationFailure of kind `conflict` when the condition does not hold */
  put(name: string, body: { value: string; mark: string }, on: Condition, signal: AbortSignal): Promise<Item>;
  /** False when the condition does not hold. */
  remove(name: string, on: Condition, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export function openClient(connection: Input<typeof fields>, { network, timeouts }: DriverContext): Client {
  const { fetch, close } = guardedFetch(network, { ...timeouts, obtained: undefined });

  async function call(name: string, init: RequestInit, on: Condition, signal: AbortSignal) {
    const url = `${baseUrl(connection.endpoint ?? publicApi)}/items/${encodeURIComponent(name)}`;
    const condition = on === undefined ? {} : on === 'none' ? { 'if-none-match': '*' } : { 'if-match': on };
    const headers = { authorization: `Bearer ${connection.token}`, ...condition };
    try {
      const answer = await fetch(url, { ...init, headers, redirect: 'manual', signal });
      if (answer.ok) return understood(await answer.text());
      if (answer.status === 404) return 'absent';
      if (answer.status === 412) return 'changed';
      throw refused(answer);
    } catch (error) {
      throw noAnswer(error) ?? error;
    }
  }

  return {
    async look(name, signal) {
      const answer = await call(name, { method: 'GET' }, undefined, signal);
      return typeof answer === 'string' ? undefined : answer;
    },
    async put(name, body, on, signal) {
      const answer = await call(name, { method: 'PUT', body: JSON.stringify(body) }, on, signal);
      if (typeof answer === 'string') throw new DestinationFailure('conflict', 'another client is writing it now');
      return answer;
    },
    remove: async (name, on, signal) => (await call(name, { method: 'DELETE' }, on, signal)) !== 'changed',
    close,
  };
}

function understood(text: string): Item {
  const parsed = item.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  throw new DestinationFailure('unavailable', `the answer did not come from the service: ${strangeAdvice}`);
}

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'credentials',
  403: 'permission',
  413: 'too-large',
  429: 'throttled',
};

function refused(answer: Response): DestinationFailure {
  const kind = kinds[answer.status] ?? (answer.status >= 500 ? 'unavailable' : 'invalid');
  const advice = answer.status < 400 ? `a redirect: ${strangeAdvice}` : `status ${answer.status}`;
  return new DestinationFailure(kind, advice, { retryAfterMs: retryAfterMs((name) => answer.headers.get(name)) });
}
