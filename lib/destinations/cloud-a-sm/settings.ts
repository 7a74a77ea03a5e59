import { NodeHttpHandler } from '@smithy/node-http-handler';
import type { GuardedAgents } from '../network/agents.ts';
import type { Connection } from './fields.ts';

export type ClientSettings = ReturnType<typeof settingsOf>;

/**
 * What the SDK's clients of one connection (Secrets Manager, STS) share. Each has an address of its own: a private endpoint
 * serves one service.
 */
export function settingsOf({ region }: Connection, agents: GuardedAgents, requestMs: number) {
  return {
    ...(region !== undefined && { region }),
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
