import bcrypt from 'bcrypt';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

// The duration of a reply must not reveal which names exist. The tests count the work, since measured times are not reliable.
const service = serviceOf([]);

afterEach(() => vi.restoreAllMocks());

const costOf = (hash: unknown): string => String(hash).slice(0, 7);

test('the password of a known and of an unknown user is compared once, with hashes of the same cost', async () => {
  await service.api.write('sys/auth/userpass', { type: 'userpass' });
  await service.api.write('auth/userpass/users/ann', { password: 'open sesame' });
  const compare = vi.spyOn(bcrypt, 'compare');
  const answers = [];
  for (const name of ['ann', 'nobody']) {
    answers.push(await service.ask('POST', `auth/userpass/login/${name}`, { password: 'wrong' }));
  }
  expect(answers.map(({ status, errors }) => [status, errors])).toEqual([
    [400, ['invalid username or password']],
    [400, ['invalid username or password']],
  ]);
  expect(compare.mock.calls.map(([, hash]) => costOf(hash))).toEqual(['$2b$10$', '$2b$10$']);
});

/** The rounds of all comparisons during `run`. */
async function rounds(run: () => Promise<unknown>): Promise<number> {
  const compare = vi.spyOn(bcrypt, 'compare');
  await run();
  const sum = compare.mock.calls.reduce((total, [, hash]) => total + 2 ** Number(String(hash).slice(4, 6)), 0);
  compare.mockRestore();
  return sum;
}

test.each([
  ['of the least cost', 4, 10],
  ['that costs more than those made here', 11, 11],
])(
  'a password with a hash %s takes as many rounds as one of an unknown user, right or wrong',
  async (_, cost, expected) => {
    const mount = service.name('hashes');
    await service.api.write(`sys/auth/${mount}`, { type: 'userpass' });
    await service.api.write(`auth/${mount}/users/given`, { password_hash: await bcrypt.hash('right', cost) });
    await service.api.write(`auth/${mount}/users/made`, { password: 'right' });
    const logs = (name: string, password: string) => () =>
      service.ask('POST', `auth/${mount}/login/${name}`, { password });
    for (const name of ['given', 'made', 'nobody']) {
      for (const password of ['wrong', 'right']) expect(await rounds(logs(name, password))).toBe(2 ** expected);
    }
  },
);

test('the cost of a hash of an earlier release is stored with the first login', async () => {
  const mount = service.name('older');
  await service.api.write(`sys/auth/${mount}`, { type: 'userpass' });
  await service.api.write(`auth/${mount}/users/ann`, { password_hash: await bcrypt.hash('right', 12) });
  await sql`update userpass_users set cost = null`.execute(service.store.db);
  const nobody = () => service.ask('POST', `auth/${mount}/login/nobody`, { password: 'wrong' });
  expect(await rounds(nobody)).toBe(2 ** 10);
  expect((await service.ask('POST', `auth/${mount}/login/ann`, { password: 'wrong' })).status).toBe(400);
  expect(await rounds(nobody)).toBe(2 ** 12);
});

test('wrong passwords of a known and of an unknown user take the same statements before and after the lockout', async () => {
  const mount = service.name('people');
  await service.api.write(`sys/auth/${mount}`, { type: 'userpass' });
  await service.api.write(`auth/${mount}/users/ann`, { password: 'open sesame' });
  for (let n = 0; n < 7; n += 1) {
    const works = [];
    for (const name of ['ann', 'nobody']) {
      works.push(
        await workOf(() =>
          service.ask('POST', `auth/${mount}/login/${name}`, { password: 'wrong' }).then(({ status }) => status),
        ),
      );
    }
    expect(works[0]?.statements.length).toBeGreaterThan(0);
    expect(works[0]?.answer).toBe(n < 5 ? 400 : 403);
    expect(works[1]).toEqual(works[0]);
  }
});

describe.each([
  ['with lockouts', {}],
  ['without lockouts', { user_lockout_config: { lockout_disable: true } }],
])('at a mount %s', (_, config) => {
  test('a wrong secret id of a known and of an unknown role takes the same statements and hashes', async () => {
    const path = service.name('approle');
    await service.api.write(`sys/auth/${path}`, { type: 'approle', config });
    await service.api.write(`auth/${path}/role/app`, {});
    await service.api.write(`auth/${path}/role/app/role-id`, { role_id: 'known' });
    const works = [];
    for (const roleId of ['known', 'nobody', 'no\0body']) {
      works.push(await workOf(() => login(path, roleId)));
    }
    const [known] = works;
    expect(known?.answer).toEqual([400, ['invalid role or secret ID']]);
    expect(known?.statements.length).toBeGreaterThan(0);
    expect(works).toEqual([known, known, known]);
  });
});

async function login(path: string, roleId: string) {
  const { status, errors } = await service.ask('POST', `auth/${path}/login`, { role_id: roleId, secret_id: 'wrong' });
  return [status, errors];
}

/** The statements of logins without parameters; the service does other work at the same time. */
async function workOf(run: () => Promise<unknown>) {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const mac = vi.spyOn(service.store.barrier, 'mac');
  const answer = await run();
  const texts = query.mock.calls.map(([one]: readonly unknown[]) => textOf(one));
  const macs = mac.mock.calls.map(([purpose]) => purpose).filter((purpose) => /^(approle|login)/.test(purpose));
  query.mockRestore();
  mac.mockRestore();
  return { answer, statements: texts.filter((text) => /approle_|userpass_|login_failures/.test(text)), macs };
}

const textOf = (query: unknown): string =>
  typeof query === 'object' && query !== null ? String(Reflect.get(query, 'text')) : String(query);

test('a refused path takes the same statements whether it exists or not', async () => {
  await service.api.write('sys/policies/acl/powerless', { policy: 'path "cubbyhole/x" { capabilities = ["read"] }' });
  const { body } = await service.ask('POST', 'auth/token/create', { policies: ['powerless'], no_default_policy: true });
  const powerless = String(Reflect.get(Object(body['auth']), 'client_token'));
  for (const token of [undefined, 'hvs.unknown', powerless]) {
    const ask = (path: string) => service.ask('GET', path, undefined, { headers: { 'x-service-token': token } });
    await ask('secret/data/warm');
    const [known, unknown] = [
      await statementsOf(() => ask('secret/data/app')),
      await statementsOf(() => ask('nowhere/data/app')),
    ];
    expect([known.answer.status, unknown.answer.status]).toEqual([403, 403]);
    expect(unknown.answer.errors).toEqual(known.answer.errors);
    expect(known.statements.length).toBeGreaterThan(0);
    expect(known.statements).toEqual(unknown.statements);
  }
});

/**
 * Statements about tokens, policies and the mount table, sorted by text. The service also runs background work, so the shortest
 * list of five tries counts.
 */
async function statementsOf<T>(run: () => Promise<T>) {
  let least = await statementsOnce(run);
  for (let tries = 1; tries < 5; tries += 1) {
    const next = await statementsOnce(run);
    if (next.statements.length < least.statements.length) least = next;
  }
  return least;
}

async function statementsOnce<T>(run: () => Promise<T>) {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const answer = await run();
  const texts = query.mock.calls.map(([one]: readonly unknown[]) => textOf(one));
  query.mockRestore();
  return { answer, statements: texts.filter((text) => /revisions|tokens|mounts|policies/.test(text)).toSorted() };
}
