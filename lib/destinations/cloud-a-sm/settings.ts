import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { GuardedAgents } from '../network/agents.ts';
import { baseUrl } from '../network/endpoint.ts';
import type { Connection } from './fields.ts';

export type ClientSettings = ReturnType<typeof settingsOf>;

/** What the SDK's clients of one connection (Secrets Manager, STS) share. */
export function settingsOf({ region, endpoint }: Connection, agents: GuardedAgents, requestMs: number) {
  return {
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint: baseUrl(endpoint) }),
    requestHandler: new NodeHttpHandler({
      httpAgent: agents.http,
      httpsAgent: agents.https,
      requestTimeout: requestMs,
      // Without it the SDK only warns.
      throwOnRequestTimeout: true,
    }),
    // Retries are the sync's. The environment could set another number, or the adaptive mode, which waits by itself.
    maxAttempts: 1,
    retryMode: 'standard',
    // "auto", which the environment can set, asks the instance metadata for the region, past our agents.
    defaultsMode: 'standard' as const,
  };
}
