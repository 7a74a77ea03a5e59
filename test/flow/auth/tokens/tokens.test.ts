import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type Answer, type AskOptions, ask } from '#test/support/flow/calls/ask.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { otherProcessOf } from '#test/support/flow/other-process.ts';

const service = serviceOf([]);
const otherProcess = otherProcessOf(service);

interface Token {
  readonly client_token: string;
  readonly accessor: string;
}

async function make(fields: object = {}, path = 'create', token = service.rootToken): Promise<Token> {
  const answer = await asToken(token, 'POST', `auth/token/${path}`, { policies: ['default'], ...fields });
  expect(answer.status).toBe(200);
  return answer.body['auth'] as Token;
}

const asToken = (token: string, method: string, path: string, body?: unknown, options: AskOptions = {}) =>
  service.ask(method, path, body, { ...options, headers: { 'x-service-token': token } });
const elsewhere = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  ask({ address: otherProcess.address, token, method, path, body });
const lookUpElsewhere = async (token: string) => (await elsewhere(token, 'GET', 'auth/token/lookup-self')).status;

describe('a change of a token in one process affects the next request in another', () => {
  test.each([
    ['revoke', (token: Token) => ({ token: token.client_token })],
    ['revoke-accessor', ({ accessor }: Token) => ({ accessor })],
    ['revoke-orphan', (token: Token) => ({ token: token.client_token })],
  ])('%s', async (path, body) => {
    const token = await make();
    expect(await lookUpElsewhere(token.client_token)).toBe(200);
    expect((await service.ask('POST', `auth/token/${path}`, body(token))).status).toBe(204);
    expect(await lookUpElsewhere(token.client_token)).toBe(403);
  });

  test('renewal, and the role of the token', async () => {
    await elsewhere(service.rootToken, 'POST', 'auth/token/roles/far', { token_period: 900 });
    const token = await make({}, 'create/far');
    const renewed = await elsewhere(token.client_token, 'POST', 'auth/token/renew-self', {});
    expect(renewed.body['auth']).toMatchObject({ lease_duration: 900 });
  });

  test('the prefix of a role, with its suffix', async () => {
    await service.ask('POST', 'auth/token/roles/crew', { path_suffix: 'blue', allowed_policies: 'default' });
    const [one, other] = [await make({}, 'create/crew'), await make()];
    const path = 'sys/leases/revoke-prefix/auth/token/create/crew/blue';
    expect((await service.ask('PUT', path)).status).toBe(204);
    expect(await lookUpElsewhere(one.client_token)).toBe(403);
    expect(await lookUpElsewhere(other.client_token)).toBe(200);
  });
});

test('two processes together accept a token with five uses five times, and refused requests count', async () => {
  const { client_token: token } = await make({ num_uses: 5 });
  const refused = await asToken(token, 'GET', 'secret/data/none');
  expect(refused.status).toBe(403);
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      index % 2 === 0
        ? asToken(token, 'GET', 'auth/token/lookup-self')
        : elsewhere(token, 'GET', 'auth/token/lookup-self'),
    ),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4);
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(96);
});

test('a token with CIDR blocks is refused from other addresses', async () => {
  await service.ask('POST', 'auth/token/roles/near', { token_bound_cidrs: '127.0.0.0/8' });
  await service.ask('POST', 'auth/token/roles/away', { token_bound_cidrs: '10.0.0.0/8' });
  const [near, away] = [await make({}, 'create/near'), await make({}, 'create/away')];
  expect(await lookUpElsewhere(near.client_token)).toBe(200);
  expect(await lookUpElsewhere(away.client_token)).toBe(403);
});

describe('looking up', () => {
  test('an unknown token is a 403, an unknown accessor a 400', async () => {
    const byToken = await service.ask('POST', 'auth/token/lookup', { token: 'hvs.none' });
    expect(byToken).toMatchObject({ status: 403, errors: ['bad token'] });
    const byAccessor = await service.ask('POST', 'auth/token/lookup-accessor', { accessor: 'none' });
    expect(byAccessor).toMatchObject({ status: 400, errors: ['1 error occurred:\n\t* invalid accessor\n\n'] });
    const revoked = await service.ask('POST', 'auth/token/revoke-accessor', { accessor: 'none' });
    expect(revoked).toMatchObject({ status: 200, warnings: ['No token found with this accessor'] });
    expect((await service.ask('POST', 'auth/token/revoke', { token: 'hvs.none' })).status).toBe(204);
  });

  test('all accessors works in pages', async () => {
    await make();
    const all = (await service.ask('LIST', 'auth/token/accessors')).data['keys'] as string[];
    expect(all.length).toBeGreaterThan(2);
    const paged: string[] = [];
    for (let after = ''; ; after = paged.at(-1) ?? '') {
      const page = await service.ask('GET', `auth/token/accessors?list=true&limit=2&after=${after}`);
      if (page.status === 404) break;
      paged.push(...(page.data['keys'] as string[]));
    }
    expect(paged.sort()).toEqual([...all].sort());
  });
});

describe('tidy', () => {
  const db = () => service.store.db;

  test('makes children without a parent orphans, deletes expired tokens, and keeps the rest', async () => {
    const lost = await make();
    const old = await make();
    const kept = await make();
    await sql`update tokens set parent = sha256('gone') where accessor = ${lost.accessor}`.execute(db());
    await sql`update tokens set expire_at = now() where accessor = ${old.accessor}`.execute(db());
    const answer = await service.ask('POST', 'auth/token/tidy');
    expect(answer).toMatchObject({ status: 202, warnings: [expect.stringContaining('successfully started')] });
    await eventually(async () => {
      const { rows } = await sql`select 1 from tokens where accessor = ${old.accessor}`.execute(db());
      return rows.length === 0;
    });
    const self = await asToken(lost.client_token, 'GET', 'auth/token/lookup-self');
    expect(self).toMatchObject({ status: 200, data: { orphan: true } });
    expect((await asToken(kept.client_token, 'GET', 'auth/token/lookup-self')).data).toMatchObject({ orphan: false });
    await eventually(() => service.logged.some((line) => JSON.stringify(line).includes('tidied tokens')));
  });

  test('runs once at a time over all processes', async () => {
    // The run of the previous test may still hold its claim.
    await sql`insert into token_tidy (run, held_until) values (gen_random_uuid(), now() + interval '1 hour')
              on conflict (namespace_id) do update set run = excluded.run, held_until = excluded.held_until`.execute(
      db(),
    );
    const busy = { status: 202, warnings: ['Tidy operation already in progress.'] };
    expect(await elsewhere(service.rootToken, 'POST', 'auth/token/tidy')).toMatchObject(busy);
    expect(await service.ask('PUT', 'sys/leases/tidy')).toMatchObject(busy);
    await sql`update token_tidy set held_until = now()`.execute(db());
    const started = await elsewhere(service.rootToken, 'POST', 'auth/token/tidy');
    expect(started.warnings).toEqual([expect.stringContaining('successfully started')]);
  });
});

describe('bad input is a 400', () => {
  const wrong: readonly (readonly [string, object])[] = [
    ['create', { policies: { a: 1 } }],
    ['create', { ttl: 'soon' }],
    ['create', { ttl: -5 }],
    ['create', { num_uses: 1e30 }],
    ['create', { meta: 'x' }],
    ['create', { renewable: 'perhaps' }],
    ['create', { period: [] }],
    ['create', { type: 7 }],
    ['create', { meta: { text: 'a\u0000b' } }],
    ['create', { id: `x${'y'.repeat(70_000)}` }],
    ['create-orphan', { policies: ['response-wrapping'] }],
    ['lookup', { token: {} }],
    ['lookup-accessor', { accessor: 'a\u0000b' }],
    ['renew', { token: 5, increment: 'x' }],
    ['renew', {}],
    ['renew-accessor', {}],
    ['revoke', {}],
    ['revoke', { token: [] }],
    ['revoke-accessor', {}],
    ['revoke-orphan', {}],
    ['roles/x', { token_period: '9999999999h' }],
    ['roles/x', { allowed_policies: {} }],
    ['roles/x', { path_suffix: 'n'.repeat(9_000) }],
    [`roles/${'n'.repeat(600)}`, {}],
  ];
  test.each(wrong)('%.20s', async (path, body) => {
    const answer = await service.ask('POST', `auth/token/${path}`, body);
    expect(answer.status).toBe(400);
  });
});

test('a role with globs passes on only the policies of the caller that it allows', async () => {
  await service.ask('POST', 'auth/token/roles/globs', { allowed_policies_glob: 'team-*' });
  const answer = await service.ask('POST', 'auth/token/create/globs', {});
  expect(answer).toMatchObject({ status: 200, body: { auth: { policies: ['default'] } } });
});
