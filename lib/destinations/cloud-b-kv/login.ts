import type { Agent } from 'node:https';
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import { type AccessToken, ClientSecretCredential, type TokenCredential } from '@azure/identity';
import { DestinationFailure, type DriverContext } from '../contract.ts';
import { cached } from '../frame/cached.ts';
import { baseUrl } from '../frame/fields/endpoint.ts';
import { deadlinePolicy, sizePolicy } from './bounds.ts';
import { findCloud, vaultScope } from './clouds.ts';
import type { Connection } from './fields.ts';
import { explainLogin, hasToken, refusedLogin } from './login-failure.ts';

export interface Login {
  readonly credential: TokenCredential;
  /** The vault refused this token: the next call logs in anew. */
  forget(token: string): void;
}

/** A token is replaced this long before it ends, so that no request meets its end on the way. */
const marginMs = 2 * 60 * 1000;

/**
 * The client-secret login. A token is kept until shortly before its end and shared by all calls; concurrent callers wait for
 * one login. Failures are `DestinationFailure`.
 *
 * The vault's client has a token cache of its own, which refreshes in the background for minutes and then rejects a promise
 * that nobody awaits. Every token that it gets has ended already, so it asks here each time.
 */
export function newLogin(connection: Connection, context: DriverContext, agent: Agent): Login {
  let last: AccessToken | undefined;
  const tokens = cached(
    async () => {
      last = await logIn(connection, context, agent);
      context.obtained?.(last.token);
      return last;
    },
    ({ expiresOnTimestamp }) => expiresOnTimestamp - marginMs > context.clock.now().getTime(),
  );

  return {
    credential: {
      // What the vault's challenge names as resource is not asked for: the token is for vaults of this cloud only.
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

/** The login has its own time, and the SDK hands no signal of the call through. */
const unending = new AbortController().signal;

async function logIn(connection: Connection, context: DriverContext, agent: Agent): Promise<AccessToken> {
  const cloud = findCloud(connection.cloud);
  if (cloud === undefined) throw new DestinationFailure('invalid', 'cloud is not the name of a cloud');
  const authorityHost = baseUrl(connection.authority_host ?? cloud.authorityHost);
  const seen = watch();
  // One credential per login: it would hold back further logins for a minute after one that failed.
  const credential = new ClientSecretCredential(connection.tenant_id, connection.client_id, connection.client_secret, {
    authorityHost,
    // The authority is one of the provider's own or was configured: no third host is asked whether it is one.
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

/** Sees why a login fails. Trap: the login library makes errors of its own, which have lost the cause and the status. */
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
