import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { systemClock } from '../../../lib/core/clock.ts';
import { createRate, rateHeaders } from '../../../lib/http/jsonapi/rate.ts';
import { newId } from '../../../lib/workspaces/frame/ids.ts';
import { hashOf } from '../../../lib/workspaces/people/tokens/find.ts';
import { newTokenText } from '../../../lib/workspaces/people/tokens/mint.ts';
import { grantText } from '../../../lib/workspaces/states/blobs/grant.ts';
import { strangeToken, workspaceGround } from '../support/ground.ts';

// So few that a slow machine meets the limit as well.
const perSecond = 1;
const requests = 40;
const ground = workspaceGround({ KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND: String(perSecond) });

/** Asks at once, with each of the tokens in turn. */
const burst = (tokens: readonly string[]) =>
  Promise.all(
    Array.from({ length: requests }, (_, at) =>
      ground.call('GET', '/account/details', undefined, tokens[at % tokens.length]),
    ),
  );

test('a bucket holds a second, fills while time goes by, and takes nothing from a clock that goes back', () => {
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
  expect(allow('somebody else')?.allowed).toBe(true);
  now += 60_000;
  expect([taken(), taken(), taken()]).toEqual([true, true, false]);
  expect(rateHeaders(allow('somebody'))).toEqual({
    ...{ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '0.500' },
  });
});

test('who asks too often is told when to come back', async () => {
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

test('tokens of one user count together, and nobody else pays for it', async () => {
  const { id } = await ground.organization();
  const [ada, bob] = [await ground.user(id), await ground.user(id)];
  const tokens = await Promise.all(Array.from({ length: requests }, () => anotherTokenOf(ada.id)));
  // Each of them is used once: a bucket for each would let them all through.
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

test('who has no token is counted by its address', async () => {
  const answers = await burst([strangeToken]);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
  expect(answers.find(({ status }) => status === 401)?.headers.get('x-ratelimit-limit')).toBe(String(perSecond));
});

test('the ping says how often clients may ask', async () => {
  const { headers } = await ground.call('GET', '/ping');
  expect(headers.get('x-ratelimit-limit')).toBe(String(perSecond));
});

test('requests without a token take nothing from signed addresses, which are counted each by itself', async () => {
  const address = (id: string, verb = 'put-state') =>
    `/state-files/${grantText({ store: ground.service.store, clock: systemClock }, { verb, id })}`;
  const send = (path: string) =>
    fetch(`${ground.service.address}/api/v2${path}`, { method: 'PUT', body: 'x' }).then(({ status }) => status);
  const strangers = await Promise.all(Array.from({ length: requests }, () => send('/state-files/forged.sv-1.9.x')));
  expect(strangers).toContain(429);
  const signed = await Promise.all(Array.from({ length: 15 }, () => send(address(newId('sv')))));
  expect(signed).toEqual(signed.map(() => 404));
  const one = address(newId('sv'));
  expect(await Promise.all(Array.from({ length: requests }, () => send(one)))).toContain(429);
});
