import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { browse } from '#test/support/auth/browser.ts';
import { type OpenIdProvider, startOpenIdProvider } from '#test/support/auth/openid-provider.ts';
import type { Answer } from '#test/support/flow/calls/ask.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';
import { begin, complete, done, mounted, poll } from './ground.ts';

// Clients without a listener poll for their token, with a real provider.
const service = serviceOf([]);
let provider: OpenIdProvider;
const callback = () => `${service.address}/v1/auth/direct/oidc/callback`;
const callbackOfPosts = () => `${service.address}/v1/auth/posted/oidc/callback`;

beforeAll(async () => {
  provider = await startOpenIdProvider([callback(), callbackOfPosts()]);
  await mounted(service, provider, {
    path: 'direct',
    role: { callback_mode: 'direct', allowed_redirect_uris: callback() },
  });
});
afterAll(() => provider.close());

const client_nonce = 'nonce of the client';
const pending = { status: 400, errors: ['authorization_pending'] };
const expired = { status: 400, errors: ['login failed: expired or missing OAuth state.'] };

test('the server receives the answer, and one poll of the client gets the token', async () => {
  const { data } = await done(begin(service, 'direct', { redirect_uri: callback(), client_nonce }));
  expect(data).toMatchObject({ poll_interval: '5' });
  const asked = { state: data['state'], client_nonce };
  expect(await poll(service, 'direct', asked)).toMatchObject(pending);
  const { url } = await browse(provider, String(data['auth_url']));
  const page = await fetch(url);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await page.text()).not.toMatch(/hvs\.|ada/);
  expect((await fetch(url)).status).toBe(400);
  const answers = await Promise.all([...Array(6).keys()].map(() => poll(service, 'direct', asked)));
  const tokens = answers.flatMap(({ body }) => (body['auth'] === undefined ? [] : [body['auth']]));
  expect(tokens).toEqual([expect.objectContaining({ metadata: { role: 'dev' }, policies: ['default', 'people'] })]);
  expect(await poll(service, 'direct', asked)).toMatchObject(expired);
});

test('a poll needs the nonce of the client, and a wrong one ends the login', async () => {
  expect(await begin(service, 'direct', { redirect_uri: callback() })).toMatchObject({
    errors: ['missing client_nonce'],
  });
  const { data } = await done(begin(service, 'direct', { redirect_uri: callback(), client_nonce }));
  const { url } = await browse(provider, String(data['auth_url']));
  expect((await fetch(url)).status).toBe(200);
  const wrong = await poll(service, 'direct', { state: data['state'], client_nonce: 'guess' });
  expect(wrong).toMatchObject({ status: 400, errors: ['invalid client_nonce'] });
  expect(await poll(service, 'direct', { state: data['state'], client_nonce })).toMatchObject(expired);
});

test('a poll learns that the login has failed', async () => {
  const { data } = await done(begin(service, 'direct', { redirect_uri: callback(), client_nonce }));
  const state = String(data['state']);
  expect((await complete(service, 'direct', { state, error: 'access_denied' })).status).toBe(400);
  expect(await poll(service, 'direct', { state, client_nonce })).toMatchObject(expired);
});

describe('a provider that posts its answer', () => {
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    fetch(`${service.address}/v1/auth/${path}/oidc/callback`, {
      method: 'POST',
      body: new URLSearchParams({ ...fields }),
    });
  const postedTo = (path: string) => ({
    path,
    config: { oidc_response_mode: 'form_post' },
    role: { callback_mode: 'direct', allowed_redirect_uris: `${service.address}/v1/auth/${path}/oidc/callback` },
  });
  const beginAt = async (path: string) => {
    const redirect_uri = `${service.address}/v1/auth/${path}/oidc/callback`;
    const { data } = await done(begin(service, path, { redirect_uri, client_nonce }));
    return { url: String(data['auth_url']), asked: { state: String(data['state']), client_nonce } };
  };

  test('completes the login of a client that polls', async () => {
    const path = await mounted(service, provider, postedTo('posted'));
    const { url, asked } = await beginAt(path);
    const { url: at, form = {} } = await browse(provider, url);
    expect(at.pathname).toBe(`/v1/auth/${path}/oidc/callback`);
    expect(await poll(service, path, asked)).toMatchObject(pending);
    const page = await post(path, form);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Login complete')]);
    expect((await post(path, form)).status).toBe(400);
    const answer = await done(poll(service, path, asked));
    expect(answer.body['auth']).toMatchObject({ metadata: { role: 'dev' }, policies: ['default', 'people'] });
    expect(await poll(service, path, asked)).toMatchObject(expired);
  });

  test('ends the login of a client that polls when it refuses the user', async () => {
    const path = await mounted(service, provider, postedTo(service.name('posted')));
    const { asked } = await beginAt(path);
    const refused = await post(path, { state: asked.state, error: 'access_denied' });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('access_denied')]);
    expect(await poll(service, path, asked)).toMatchObject(expired);
  });
});

test('a device logs in with a code that its user enters at the provider', async () => {
  const role = { callback_mode: 'device', allowed_redirect_uris: '', poll_interval: 1 };
  const path = await mounted(service, provider, { role });
  const { data } = await done(begin(service, path, { redirect_uri: '', client_nonce }));
  expect(data).toMatchObject({ user_code: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/), poll_interval: '1' });
  const asked = { state: data['state'], client_nonce };
  expect(await poll(service, path, asked)).toMatchObject(pending);
  const calls = provider.calls.length;
  expect(await poll(service, path, asked)).toMatchObject({ status: 400, errors: ['slow_down'] });
  expect(provider.calls.length).toBe(calls);
  // The state of a device never completes a login by browser.
  expect(await complete(service, path, { state: String(data['state']), code: 'x' })).toMatchObject(expired);
  await browse(provider, String(data['auth_url']));
  const answer = await untilAnswered(() => poll(service, path, asked));
  expect(answer.body['auth']).toMatchObject({ metadata: { role: 'dev' }, policies: ['default', 'people'] });
  expect(await poll(service, path, asked)).toMatchObject(expired);
});

/** Polls as a client does, until the reply is another than that of a waiting login. */
async function untilAnswered(ask: () => Promise<Answer>): Promise<Answer> {
  const end = performance.now() + patience.conditionMs;
  for (;;) {
    const answer = await ask();
    if (!['slow_down', 'authorization_pending'].includes(answer.errors[0] ?? '') || performance.now() > end)
      return answer;
    await delay(300);
  }
}
