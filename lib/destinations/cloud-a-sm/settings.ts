// Beyond the usual files: two clients of the SDK, for secrets and for the login by a role, share their settings.
import { Readable } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { boundedStream } from '../../network/answer-size.ts';
import type { GuardedAgents } from '../../network/connection/agents.ts';
import type { Connection } from './fields.ts';

export type ClientSettings = ReturnType<typeof settingsOf>;

/**
 * What the SDK's clients of one connection (Secrets Manager, STS) share. Each has an address of its own: a private endpoint
 * serves one service.
 */
export function settingsOf({ region }: Connection, agents: GuardedAgents, requestMs: number) {
  return {
    ...(region !== undefined && { region }),
    requestHandler: new BoundedHandler({
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

/** The handler decompresses nothing, so what it reads is what came. */
class BoundedHandler extends NodeHttpHandler {
  override async handle(...request: Parameters<NodeHttpHandler['handle']>) {
    const { response } = await super.handle(...request);
    if (response.body instanceof Readable) response.body = boundedStream(response.body);
    return { response };
  }
}
