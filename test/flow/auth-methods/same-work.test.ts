import bcrypt from 'bcrypt';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';

// Who guesses names must not learn by the time which ones there are: the work is counted, since clocks are not to be relied on.
const service = serviceOf([]);

afterEach(() => vi.restoreAllMocks());

const costOf = (hash: unknown): string => String(hash).slice(0, 7);

test('a wrong password of a user and one of nobody are compared once, with hashes of one cost', async () => {
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

describe.each([
  ['with lockouts', {}],
  ['without lockouts', { user_lockout_config: { lockout_disable: true } }],
])('at a mount %s', (_, config) => {
  test('a wrong secret id of a role and one of no role cost the same statements and hashes', async () => {
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

/** Statements of logins alone, without their parameters: the service does other work at the same time. */
async function workOf(run: () => Promise<unknown>) {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  const mac = vi.spyOn(service.store.barrier, 'mac');
  const answer = await run();
  const texts = query.mock.calls.map(([one]: readonly unknown[]) => textOf(one));
  const macs = mac.mock.calls.map(([purpose]) => purpose).filter((purpose) => purpose.startsWith('approle'));
  query.mockRestore();
  mac.mockRestore();
  return { answer, statements: texts.filter((text) => /approle_|login_failures/.test(text)), macs };
}

const textOf = (query: unknown): string =>
  typeof query === 'object' && query !== null ? String(Reflect.get(query, 'text')) : String(query);
