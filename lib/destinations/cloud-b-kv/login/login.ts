import type { Agent } from 'node:https';
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { type AccessToken, ClientSecretCredential, type TokenCredential } from '@azure/identity';
import { DestinationFailure, type DriverContext } from '../../contract.ts';
import { cached } from '../../frame/cached.ts';
import { baseUrl } from '../../frame/fields/endpoint.ts';
import { findCloud, vaultScope } from '../fields/clouds.ts';
import type { Connection } from '../fields/fields.ts';
import { deadlinePolicy, sizePolicy } from './bounds.ts';
import { explainLogin, hasToken, refusedLogin } from './failure.ts';

export interface Login {
  readonly credential: TokenCredential;
  /** Drops a token that the vault refused, so that the next call logs in again. */
  forget(token: string): void;
}

/** A token is replaced this long before it expires, so that it does not expire during a request. */
const marginMs = 2 * 60 * 1000;

/**
 * The client-secret login. A token is cached until shortly before it expires and shared by all calls; concurrent callers wait for
 * one login. Failures are `DestinationFailure`.
 *
 * The vault's client has its own token cache, which refreshes in the background for minutes and then rejects a promise that is
 * never awaited. Every token that it gets from here has already expired, so that it asks here each time.
 */
export function newLogin(connection: Connection, context: DriverContext, agent: Agent): Login {
  let last: AccessToken | undefined;
  const tokens = cached(
    async () => {
      last = await logIn(connection, context, agent);
      context.obtained(last.token);
      return last;
    },
    ({ expiresOnTimestamp }) => expiresOnTimestamp - marginMs > context.clock.now().getTime(),
  );

  return {
    credential: {
      // The resource that the vault's challenge names is ignored: the token is only for vaults of this cloud.
      async getToken(_scopes, options) {
        refuseTenant(connection, options?.tenantId);
        return { token: (await tokens.get(unending)).token, expiresOnTimestamp: 0 };
      },
    },
    forget(token) {
      if (last?.token === token) tokens.drop(last);
    },
  };
}

/** The login has its own deadline, and the SDK does not pass the signal of the call on. */
const unending = new AbortController().signal;

async function logIn(connection: Connection, context: DriverContext, agent: Agent): Promise<AccessToken> {
  const cloud = findCloud(connection.cloud);
  if (cloud === undefined) throw new DestinationFailure('invalid', 'cloud is not the name of a cloud');
  const authorityHost = baseUrl(connection.authority_host ?? cloud.authorityHost);
  const seen = watch();
  // One credential per login: after a failed login, the same credential would delay further ones for a minute.
  const credential = new ClientSecretCredential(connection.tenant_id, connection.client_id, connection.client_secret, {
    authorityHost,
    // The authority is the provider's or was configured, so it need not be confirmed by a third host.
    disableInstanceDiscovery: true,
    agent,
    retryOptions: { maxRetries: 0 },
    redirectOptions: { maxRetries: 0 },
    additionalPolicies: [
      { policy: seen.policy, position: 'perRetry' },
      { policy: deadlinePolicy(context.timeouts.requestMs), position: 'perRetry' },
      { policy: sizePolicy(), position: 'perRetry' },
    ],
  });
  try {
    return await credential.getToken(vaultScope(cloud));
  } catch (error) {
    throw seen.failure() ?? explainLogin(error, authorityHost);
  }
}

interface Watch {
  readonly policy: PipelinePolicy;
  failure(): DestinationFailure | undefined;
}

/** Records why a login fails. Trap: the login library replaces errors by its own, without the cause and the status. */
function watch(): Watch {
  let failure: DestinationFailure | undefined;
  const policy: PipelinePolicy = {
    name: 'keyferry-watch',
    async sendRequest(request, next) {
      const { origin } = new URL(request.url);
      try {
        const response = await next(request);
        if (response.status !== 200 || !hasToken(response)) failure = refusedLogin(response, origin);
        return response;
      } catch (error) {
        failure = explainLogin(error, origin);
        throw error;
      }
    },
  };
  return { policy, failure: () => failure };
}

/** Only ids are compared: the vault shows an id, while `tenant_id` may be a domain name of the same tenant. */
function refuseTenant({ tenant_id }: Connection, vaultTenant: string | undefined): void {
  const isId = (text: string) => /^[0-9a-f-]{36}$/i.test(text);
  if (vaultTenant === undefined || !isId(vaultTenant) || !isId(tenant_id)) return;
  if (vaultTenant.toLowerCase() === tenant_id.toLowerCase()) return;
  throw new DestinationFailure(
    'credentials',
    `the vault belongs to tenant ${vaultTenant}, not to tenant_id ${tenant_id}`,
  );
}
