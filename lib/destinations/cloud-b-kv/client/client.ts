import { createHttpHeaders, type PipelinePolicy } from '@azure/core-rest-pipeline';
import { SecretClient } from '@azure/keyvault-secrets';
import { guardedAgents } from '#network/connection/agents.ts';
import type { DriverContext } from '../../contract.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import type { WriteTracker } from '../../frame/verb/verb.ts';
import type { Connection } from '../fields/fields.ts';
import { deadlinePolicy, sizePolicy } from '../login/bounds.ts';
import { type Login, newLogin } from '../login/login.ts';
import { answerPolicy } from './answer.ts';
import { linkPolicy } from './links.ts';

type Ask = <T>(signal: AbortSignal, run: (secrets: SecretClient) => Promise<T>) => Promise<T>;

/** The SDK's client, guarded and bounded. Each call of the SDK goes through `read` or `call`. */
export interface Client {
  /** For calls that change nothing. */
  readonly read: Ask;
  readonly call: Ask;
  close(): void;
}

/** The client for one put: `tracker` follows what it changes. */
export const followed = (client: Client, tracker: WriteTracker): Client => ({
  ...client,
  call: (signal, run) => tracker.write(() => client.call(signal, run)),
});

/** The SDK's own retries and redirects are off: one call is one attempt. */
export function openClient(connection: Connection, context: DriverContext): Client {
  const agents = guardedAgents(context.network, context.timeouts);
  const login = newLogin(connection, context, agents.https);
  const base = baseUrl(connection.endpoint ?? connection.key_vault_uri);
  const gate = firstAlone();
  const secrets = new SecretClient(base, login.credential, {
    agent: agents.https,
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    // We choose the token's scope, whatever resource the challenge names (see login.ts).
    disableChallengeResourceVerification: true,
    additionalPolicies: [
      { policy: pollPolicy(), position: 'perCall' },
      { policy: linkPolicy(), position: 'perCall' },
      { policy: pinPolicy(base), position: 'perRetry' },
      { policy: tokenPolicy(login, gate.open), position: 'perRetry' },
      { policy: answerPolicy(), position: 'perRetry' },
      { policy: deadlinePolicy(context.timeouts.requestMs), position: 'perRetry' },
      { policy: sizePolicy(), position: 'perRetry' },
    ],
  });
  const ask: Ask = (signal, run) => gate.pass(signal, () => run(secrets));
  return { read: ask, call: ask, close: agents.close };
}

const once = 'x-keyferry-once';

/** Options for a deletion after which the SDK does not poll. */
export const withoutPolling = { requestOptions: { headers: { [once]: 'true' } } };

/**
 * Trap: right after a deletion the SDK reads the deleted secret to see whether the deletion has finished. The answer to the deletion
 * has all that we need, so that request is not sent: this policy answers it as the vault does while it is still deleting.
 */
function pollPolicy(): PipelinePolicy {
  return {
    name: 'keyferry-poll',
    async sendRequest(request, next) {
      if (!request.headers.has(once)) return next(request);
      request.headers.delete(once);
      if (request.method !== 'GET') return next(request);
      const headers = createHttpHeaders({ 'content-type': 'application/json' });
      return { request, status: 404, headers, bodyAsText: '{"error":{}}' };
    },
  };
}

/** The links of a list hold the vault's own address. They are followed at the configured address only. */
function pinPolicy(base: string): PipelinePolicy {
  return {
    name: 'keyferry-pin',
    sendRequest(request, next) {
      const { pathname, search } = new URL(request.url);
      if (!request.url.startsWith(`${base}/`)) request.url = `${base}${pathname}${search}`;
      return next(request);
    },
  };
}

/** Forgets a token that the vault refuses, so that the SDK logs in again. */
function tokenPolicy(login: Login, accepted: () => void): PipelinePolicy {
  return {
    name: 'keyferry-token',
    async sendRequest(request, next) {
      const token = request.headers.get('authorization')?.replace(/^Bearer /i, '');
      const response = await next(request);
      if (token === undefined) return response;
      if (response.status === 401) login.forget(token);
      else accepted();
      return response;
    },
  };
}

/**
 * Trap: until the vault has accepted a first token, the SDK sets the body of the first request aside and sends the request without
 * it, to be challenged for a token. A second request at that time makes it lose the body. So calls run one by one until a token
 * was accepted.
 */
function firstAlone() {
  let isOpen = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    open: () => {
      isOpen = true;
    },
    pass<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
      if (isOpen) return run();
      const turn = last.then(() => {
        signal.throwIfAborted();
        return run();
      });
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}
