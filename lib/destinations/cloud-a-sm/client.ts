import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { guardedAgents } from '#network/connection/agents.ts';
import type { DriverContext } from '../contract.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { withinRequestTime } from '../frame/verb/request-time.ts';
import type { WriteTracker } from '../frame/verb/verb.ts';
import { toFailure } from './failure/failure.ts';
import type { Connection } from './fields/fields.ts';
import { openCredentials } from './login/login.ts';
import { checkAnswers, settingsOf } from './login/sdk.ts';

/**
 * One request, one attempt, within requestMs, which includes getting the credentials.
 * @param step names the request in messages where it is only a part of the verb: "tag it"
 * @throws DestinationFailure `ServiceFailure` when the service refuses
 */
type Ask = <Answer>(
  signal: AbortSignal,
  request: (sdk: SecretsManagerClient, options: { readonly abortSignal: AbortSignal }) => Promise<Answer>,
  step?: string,
) => Promise<Answer>;

/** Secrets Manager with our credentials. */
export interface Client {
  /** For requests that change nothing. */
  readonly read: Ask;
  readonly call: Ask;
  close(): void;
}

/** The client for one put: `tracker` follows what it changes. */
export const followed = (client: Client, tracker: WriteTracker): Client => ({
  ...client,
  call: (signal, request, step) => tracker.write(() => client.call(signal, request, step)),
});

export function openClient(connection: Connection, { network, timeouts, obtained }: DriverContext): Client {
  const agents = guardedAgents(network, timeouts);
  const settings = settingsOf(connection, agents, timeouts.requestMs);
  const sdk = new SecretsManagerClient({
    ...settings,
    ...(connection.endpoint !== undefined && { endpoint: baseUrl(connection.endpoint) }),
    credentials: openCredentials(connection, network, settings, timeouts, obtained),
  });
  checkAnswers(sdk);
  // The SDK's providers of credentials take no signal, so the wait is ended here as well as in the SDK.
  const ask: Ask = (signal, request, step) =>
    withinRequestTime(timeouts.requestMs, signal, (abortSignal) => request(sdk, { abortSignal })).catch((error) => {
      throw toFailure(error, step);
    });
  return {
    read: ask,
    call: ask,
    close() {
      sdk.destroy();
      agents.close();
    },
  };
}
