import { Octokit } from '@octokit/rest';
import { guardedFetch } from '#network/fetch.ts';
import type { DriverContext } from '../../contract.ts';
import { type Answer, type Call, openExchange } from '../exchange.ts';
import { apiBase } from '../fields/address.ts';
import type { Connection } from '../fields/fields.ts';
import { type AppExchange, makeInstallationToken } from '../login/installation-token.ts';
import { type Credentials, fixedCredentials, renewedCredentials } from '../login/login.ts';

/** The host's API with our credentials. */
export interface Client {
  /** @throws DestinationFailure when there is no answer or no token; a refusing answer is returned. */
  call(call: Call, signal: AbortSignal): Promise<Answer>;
  /** Aborts when the client is closed. For fetches that several callers share. */
  readonly closing: AbortSignal;
  close(): Promise<void>;
}

/** Octokit writes warnings (deprecations, corrected clocks) to the console unless it is given a log for them. */
const silent = { debug() {}, info() {}, warn() {}, error() {} };

export function openClient(connection: Connection, context: DriverContext): Client {
  const guarded = guardedFetch(context.network, { ...context.timeouts, obtained: context.obtained });
  const exchange = openExchange({ requestMs: context.timeouts.requestMs, clock: context.clock });
  const closing = new AbortController();
  const octokit = (options: ConstructorParameters<typeof Octokit>[0]) =>
    new Octokit({
      ...options,
      baseUrl: apiBase(connection),
      userAgent: 'keyferry',
      log: silent,
      request: { fetch: guarded.fetch },
    });
  const asApp: AppExchange = (options, call) => exchange(octokit(options), call, {}, closing.signal);
  const credentials = openCredentials(connection, context, asApp);
  const plain = octokit({});

  async function call(one: Call, signal: AbortSignal): Promise<Answer> {
    const token = await credentials.token(signal);
    const answer = await exchange(plain, one, { authorization: `token ${token.text}` }, signal);
    if (answer.status !== 401 || !(await credentials.refused(token, signal))) return answer;
    const { text } = await credentials.token(signal);
    return await exchange(plain, one, { authorization: `token ${text}` }, signal);
  }

  return {
    call,
    closing: closing.signal,
    async close() {
      closing.abort();
      await guarded.close();
    },
  };
}

/** The app takes precedence over the token. The connection has passed `validate`, so one of them is set. */
function openCredentials(connection: Connection, context: DriverContext, asApp: AppExchange): Credentials {
  const { access_token = '', app_name: name, installation_id: installationId } = connection;
  if (name === undefined || installationId === undefined) return fixedCredentials(access_token);
  const installation = { name, installationId, base: apiBase(connection) };
  const make = () => makeInstallationToken(installation, context.app, asApp);
  return renewedCredentials(make, context.clock);
}
