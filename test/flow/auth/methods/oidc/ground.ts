import { expect } from 'vitest';
import { browse } from '#test/support/auth/browser.ts';
import type { HttpsServer } from '#test/support/auth/https-server.ts';
import type { Answer } from '#test/support/flow/calls/ask.ts';
import type { OpenService } from '#test/support/flow/open-service.ts';

/** Where the family's command line listens. */
export const listener = 'http://localhost:8250/oidc/callback';

export const noToken = { headers: { 'x-service-token': undefined } };

interface Registered extends HttpsServer {
  readonly clientId: string;
  readonly clientSecret: string;
}

export const configFor = (provider: Registered): object => ({
  oidc_discovery_url: provider.address,
  oidc_discovery_ca_pem: provider.certificate,
  oidc_client_id: provider.clientId,
  oidc_client_secret: provider.clientSecret,
});

interface Wishes {
  /** Ends in a slash, or is empty. */
  readonly namespace?: string;
  readonly path?: string;
  readonly config?: object;
  readonly role?: object;
}

/** A mount of the type `oidc` with a role `dev`. Returns its path below `auth/`. */
export async function mounted(
  service: OpenService,
  provider: Registered,
  { namespace = '', path = service.name('o'), config = {}, role = {} }: Wishes = {},
): Promise<string> {
  const ask = (at: string, body: object) => done(service.ask('POST', `${namespace}${at}`, body));
  await ask(`sys/auth/${path}`, { type: 'oidc' });
  await ask(`auth/${path}/config`, { ...configFor(provider), ...config });
  const usual = { user_claim: 'sub', allowed_redirect_uris: listener, token_policies: 'people' };
  await ask(`auth/${path}/role/dev`, { ...usual, ...role });
  return path;
}

export async function done(answering: Promise<Answer>): Promise<Answer> {
  const answer = await answering;
  expect([answer.errors, answer.status]).toEqual([[], answer.status]);
  expect(answer.status).toBeLessThan(300);
  return answer;
}

export const begin = (service: OpenService, path: string, more: object = {}): Promise<Answer> =>
  service.ask('POST', `auth/${path}/oidc/auth_url`, { role: 'dev', redirect_uri: listener, ...more }, noToken);

export const complete = (
  service: OpenService,
  path: string,
  query: Readonly<Record<string, string>>,
): Promise<Answer> =>
  service.ask('GET', `auth/${path}/oidc/callback?${new URLSearchParams({ ...query })}`, undefined, noToken);

export const poll = (service: OpenService, path: string, body: object): Promise<Answer> =>
  service.ask('POST', `auth/${path}/oidc/poll`, body, noToken);

/** What the provider sends back once the user has logged in. */
export async function answerOf(service: OpenService, provider: HttpsServer, path: string, more: object = {}) {
  const { data } = await done(begin(service, path, more));
  const { url } = await browse(provider, String(data['auth_url']));
  return { state: url.searchParams.get('state') ?? '', code: url.searchParams.get('code') ?? '', url };
}
