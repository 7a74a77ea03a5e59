import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { guardedAgents } from '../../network/agents.ts';
import type { DriverContext } from '../contract.ts';
import { baseUrl } from '../frame/endpoint.ts';
import type { Touch } from '../frame/write-tracker.ts';
import { refuseStrangers } from './answer.ts';
import { openCredentials } from './credentials.ts';
import { toFailure } from './failure.ts';
import type { Connection } from './fields.ts';
import { settingsOf } from './settings.ts';

/**
 * One request, one attempt, within requestMs (the getting of credentials included).
 * @param action for messages: "create secret a/b"
 * @throws DestinationFailure `ServiceFailure` when the service refuses
 */
type Ask = <Answer>(
  action: string,
  signal: AbortSignal,
  request: (sdk: SecretsManagerClient, options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
) => Promise<Answer>;

/** Secrets Manager with our credentials. */
export interface Client {
  /** For requests that change nothing. */
  readonly read: Ask;
  readonly call: Ask;
  close(): void;
}

/** The client for one put: `touch` follows what it changes. */
export const followed = (client: Client, touch: Touch): Client => ({
  ...client,
  call: (action, signal, request) => touch.write(() => client.call(action, signal, request)),
});

export function openClient(connection: Connection, { network, timeouts, obtained }: DriverContext): Client {
  const agents = guardedAgents(network, timeouts);
  const settings = settingsOf(connection, agents, timeouts.requestMs);
  const sdk = new SecretsManagerClient({
    ...settings,
    ...(connection.endpoint !== undefined && { endpoint: baseUrl(connection.endpoint) }),
    credentials: openCredentials(connection, network, settings, timeouts, obtained),
  });
  refuseStrangers(sdk);
  const ask: Ask = async (action, signal, request) => {
    // Getting credentials takes no signal, so the wait ends here and not only in the SDK.
    const ends = AbortSignal.any([signal, AbortSignal.timeout(timeouts.requestMs)]);
    try {
      ends.throwIfAborted();
      return await Promise.race([request(sdk, { abortSignal: ends }), whenAborted(ends)]);
    } catch (error) {
      throw toFailure(error, { action, requestMs: timeouts.requestMs, stopped: signal.aborted });
    }
  };
  return {
    read: ask,
    call: ask,
    close() {
      sdk.destroy();
      agents.close();
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
