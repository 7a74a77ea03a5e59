import bcrypt from 'bcrypt';
import { afterEach, expect, test, vi } from 'vitest';
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
