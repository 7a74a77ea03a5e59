import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { createRate, rateHeaders } from '#http/v2/rate.ts';
import { newId } from '#workspaces/frame/ids.ts';
import { hashOf, newTokenText } from '#workspaces/resources/authentication-tokens/text.ts';
import { grantText } from '#workspaces/resources/state-blobs/grant.ts';
import { unknownToken, workspaceGround } from '../support/ground.ts';

// Low enough to reach the limit on a slow machine.
const perSecond = 1;
const requests = 40;
const ground = workspaceGround({ KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: String(perSecond) });

/** Sends concurrent requests, with each of the tokens in turn. */
const burst = (tokens: readonly string[]) =>
  Promise.all(
    Array.from({ length: requests }, (_, at) =>
      ground.call('GET', '/account/details', undefined, tokens[at % tokens.length]),
    ),
  );

test('a bucket holds the requests of one second, refills with time, and ignores a clock that goes back', () => {
  let now = 10_000;
  const allow = createRate(2, () => now);
  const taken = () => allow('somebody')?.allowed;
  expect([taken(), taken(), taken()]).toEqual([true, true, false]);
  now += 499;
  expect(taken()).toBe(false);
  now += 1;
  expect([taken(), taken()]).toEqual([true, false]);
  now -= 5_000;
  expect(taken()).toBe(false);
  expect(allow('another caller')?.allowed).toBe(true);
  now += 60_000;
  expect([taken(), taken(), taken()]).toEqual([true, true, false]);
  expect(rateHeaders(allow('somebody'))).toEqual({
    'x-ratelimit-limit': '2',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '0.500',
  });
});

test('callers beyond the limit learn when to retry', async () => {
  const { id } = await ground.organization();
  const { token } = await ground.user(id);
  const answers = await burst([token]);
  const refused = answers.find(({ status }) => status === 429);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect(refused?.body).toEqual({
    errors: [{ status: '429', title: 'Too many requests', detail: "You have exceeded the API's rate limit." }],
  });
  for (const { headers } of answers) {
    expect(headers.get('x-ratelimit-limit')).toBe(String(perSecond));
    expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    expect(headers.get('x-ratelimit-reset')).toMatch(/^\d+\.\d+$/);
  }
  expect(refused?.headers.get('retry-after')).toBe('1');
});

test('all tokens of one user share a limit, and other users are not affected', async () => {
  const { id } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const tokens = await Promise.all(Array.from({ length: requests }, () => anotherTokenOf(ada.id)));
  // Each token is used once: separate buckets would admit all requests.
  const answers = await burst(tokens);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect((await ground.call('GET', '/account/details', undefined, bob.token)).status).toBe(200);
});

async function anotherTokenOf(userId: string): Promise<string> {
  const text = newTokenText();
  const { store } = ground.service;
  await sql`insert into ws_tokens (id, hash, user_id) values (${newId('at')}, ${hashOf(store, text)}, ${userId})`.execute(
    store.db,
  );
  return text.reveal();
}

test('requests without a token are counted by client address', async () => {
  const answers = await burst([unknownToken]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect(answers.find(({ status }) => status === 401)?.headers.get('x-ratelimit-limit')).toBe(String(perSecond));
});

test('the ping reports the rate limit', async () => {
  const { headers } = await ground.call('GET', '/ping');
  expect(headers.get('x-ratelimit-limit')).toBe(String(perSecond));
});

test('each signed address has its own limit, separate from requests without a token', async () => {
  const address = (id: string, verb = 'put-state') =>
    `/state-files/${grantText({ store: ground.service.store, clock: systemClock }, { verb, id, bearer: undefined })}`;
  const send = (path: string) =>
    fetch(`${ground.service.address}/api/v2${path}`, { method: 'PUT', body: 'x' }).then(({ status }) => status);
  const strangers = await Promise.all(Array.from({ length: requests }, () => send('/state-files/forged.sv-1.9.x')));
  expect(strangers).toContain(429);
  const signed = await Promise.all(Array.from({ length: 15 }, () => send(address(newId('sv')))));
  expect(signed).toEqual(signed.map(() => 404));
  const one = address(newId('sv'));
  expect(await Promise.all(Array.from({ length: requests }, () => send(one)))).toContain(429);
});
