import { z } from 'zod';
import { DestinationFailure, type DriverContext, type FailureKind } from '../../../../lib/destinations/contract.ts';
import { baseUrl } from '../../../../lib/destinations/frame/endpoint.ts';
import { blockedMessage } from '../../../../lib/network/blocked.ts';
import { guardedFetch } from '../../../../lib/network/fetch.ts';
import { strangeAdvice, strangeMessage } from '../../../../lib/network/strange-answer.ts';
import type { Input } from '../../../../lib/path/fields.ts';
import { type fields, publicApi } from './fields.ts';

const item = z.object({ version: z.string(), mark: z.string().nullable() });
export type Item = z.output<typeof item>;

/** What has to be there for a call to be applied: this version, or `none`: nothing. Undefined: anything. */
export type Condition = string | undefined;

export interface Client {
  /** Undefined: there is no such item. */
  look(name: string, signal: AbortSignal): Promise<Item | undefined>;
  /** Undefined: the condition does not hold. */
  put(
    name: string,
    body: { value: string; mark: string },
    on: Condition,
    signal: AbortSignal,
  ): Promise<Item | undefined>;
  /** False: the condition does not hold. */
  remove(name: string, on: Condition, signal: AbortSignal): Promise<boolean>;
  close(): Promise<void>;
}

export function openClient(connection: Input<typeof fields>, { network, timeouts }: DriverContext): Client {
  const { fetch, close } = guardedFetch(network, timeouts);

  async function call(action: string, name: string, init: RequestInit, on: Condition, signal: AbortSignal) {
    const url = `${baseUrl(connection.endpoint ?? publicApi)}/items/${encodeURIComponent(name)}`;
    const condition = on === undefined ? {} : on === 'none' ? { 'if-none-match': '*' } : { 'if-match': on };
    const headers = { authorization: `Bearer ${connection.token}`, ...condition };
    const answer = await fetch(url, { ...init, headers, redirect: 'manual', signal }).catch((error: unknown) => {
      throw silentFailure(`cannot ${action} item ${name}`, error, signal.aborted);
    });
    if (answer.ok) return understood(answer);
    if (answer.status === 404) return 'absent';
    if (answer.status === 412) return 'changed';
    throw refusedFailure(`cannot ${action} item ${name}`, answer);
  }

  return {
    async look(name, signal) {
      const answer = await call('look at', name, { method: 'GET' }, undefined, signal);
      return typeof answer === 'string' ? undefined : answer;
    },
    async put(name, body, on, signal) {
      const answer = await call('write', name, { method: 'PUT', body: JSON.stringify(body) }, on, signal);
      return typeof answer === 'string' ? undefined : answer;
    },
    remove: async (name, on, signal) => (await call('remove', name, { method: 'DELETE' }, on, signal)) !== 'changed',
    close,
  };
}

async function understood(answer: Response): Promise<Item> {
  const parsed = item.safeParse(await answer.json().catch(() => undefined));
  if (parsed.success) return parsed.data;
  throw new DestinationFailure('unavailable', `this is no answer of the service: ${strangeAdvice}`);
}

const kinds: Readonly<Record<number, FailureKind>> = {
  401: 'credentials',
  403: 'permission',
  413: 'too-large',
  429: 'throttled',
};

function refusedFailure(action: string, answer: Response): DestinationFailure {
  const kind = kinds[answer.status] ?? (answer.status >= 500 ? 'unavailable' : 'invalid');
  const seconds = answer.headers.get('retry-after') ?? '';
  const wait = /^\d{1,6}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1_000 } : {};
  const advice = answer.status < 400 ? `a redirect: ${strangeAdvice}` : `status ${answer.status}`;
  return new DestinationFailure(kind, `${action}: ${advice}`, {
    ...wait,
    untouched: answer.status < 500,
  });
}

function silentFailure(action: string, error: unknown, aborted: boolean): DestinationFailure {
  const blocked = blockedMessage(error);
  if (blocked !== undefined) return new DestinationFailure('blocked', `${action}: ${blocked}`, { untouched: true });
  if (aborted || isTimeout(error)) return new DestinationFailure('timeout', `${action}: no answer in time`);
  const strange = strangeMessage(error);
  if (strange !== undefined) return new DestinationFailure('unavailable', `${action}: ${strange}`);
  return new DestinationFailure('network', `${action}: check endpoint, DNS and the network between`);
}

function isTimeout(error: unknown): boolean {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return (
    inner instanceof Error &&
    (inner.name === 'TimeoutError' || Reflect.get(inner, 'code') === 'UND_ERR_CONNECT_TIMEOUT')
  );
}
