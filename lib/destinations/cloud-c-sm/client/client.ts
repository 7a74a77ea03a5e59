import { AsyncLocalStorage } from 'node:async_hooks';
import { SecretManagerServiceClient } from '@google-cloud/secret-manager';
import { JWT } from 'google-auth-library';
import { guardedFetch } from '#network/fetch.ts';
import type { DriverContext } from '../../contract.ts';
import { usualUniverse } from '../fields/credentials.ts';
import type { Connection } from '../fields/fields.ts';
import { type Account, readAccount } from '../login.ts';
import { transport } from './transport.ts';

/** The SDK's client, guarded and bounded. */
export interface Client {
  /** Each call of the SDK goes through this, with `options`. */
  call<T>(signal: AbortSignal, run: (opened: Opened) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Opened {
  readonly secrets: SecretManagerServiceClient;
  readonly project: string;
  readonly options: { readonly timeout: number; readonly retry: null };
}

/** The SDK's own retries are off: one call is one attempt. */
export function openClient(connection: Connection, context: DriverContext): Client {
  const guarded = guardedFetch(context.network, { ...context.timeouts, obtained: context.obtained });
  const signals = new AsyncLocalStorage<AbortSignal>();
  const fetch = transport(guarded.fetch, connection.endpoint, signals);
  const options = { timeout: context.timeouts.requestMs, retry: null };
  let opening: Promise<Opened> | undefined;

  // A failure is not cached: a credentials file that cannot be read now may exist later.
  function open(): Promise<Opened> {
    opening ??= readAccount(connection, context).then(
      (account) => ({ secrets: newSdk(account, fetch), project: account.project, options }),
      (error: unknown) => {
        opening = undefined;
        throw error;
      },
    );
    return opening;
  }

  return {
    async call(signal, run) {
      const opened = await open();
      return signals.run(signal, () => run(opened));
    },
    close: () => guarded.close(),
  };
}

/**
 * The login needs no call: for this service the SDK signs the token itself, with the service's address as audience. So the
 * `token_uri` of the credentials is never called, even with an `endpoint`.
 */
function newSdk({ service, project }: Account, fetch: typeof globalThis.fetch): SecretManagerServiceClient {
  const universe = service.universe_domain ?? usualUniverse;
  const authClient = new JWT({
    email: service.client_email,
    key: service.private_key,
    ...(service.private_key_id !== undefined && { keyId: service.private_key_id }),
    universeDomain: universe,
    transporterOptions: { fetchImplementation: fetch },
  });
  // `fallback` selects REST; the default transport, gRPC, would dial past the network guard.
  return new SecretManagerServiceClient({ fallback: true, authClient, projectId: project, universeDomain: universe });
}
