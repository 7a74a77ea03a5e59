import bcrypt from 'bcrypt';
import { afterEach, expect, test, vi } from 'vitest';
import { PoolConnection } from '../../../lib/store/postgres/connection.ts';
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

test('a secret id of an unknown role and a wrong one of a known role cost the same statements', async () => {
  await service.api.write('sys/auth/approle', { type: 'approle' });
  await service.api.write('auth/approle/role/app', {});
  await service.api.write('auth/approle/role/app/role-id', { role_id: 'known' });
  const sent = vi.spyOn(PoolConnection.prototype, 'executeQuery');
  const seen = [];
  for (const role_id of ['known', 'unknown']) {
    sent.mockClear();
    const { status, errors } = await service.ask('POST', 'auth/approle/login', { role_id, secret_id: 'wrong' });
    const statements = sent.mock.calls.map(([query]) => query.sql);
    seen.push({ status, errors, statements: statements.filter((text) => /approle|login_failures/.test(text)) });
  }
  expect(seen[0]).toEqual({
    ...{ status: 400, errors: ['invalid role or secret ID'] },
    statements: [expect.stringContaining('approle_secret_ids'), expect.stringContaining('insert into login_failures')],
  });
  expect(seen[1]).toEqual(seen[0]);
});
