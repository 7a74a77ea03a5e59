import { expect, test } from 'vitest';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf([]);
const path = 'sys/policies/password';
const policy = 'length = 16\nrule "charset" {\n  charset = "abcdef"\n  min-chars = 1\n}\n';

test('a password policy is written, read unchanged, used, listed and deleted', async () => {
  expect(await service.ask('LIST', path)).toMatchObject({ status: 404, errors: [] });
  expect(await service.ask('GET', `${path}/letters`)).toMatchObject({ status: 404 });
  expect(await service.ask('PUT', `${path}/letters`, { policy })).toMatchObject({ status: 204 });
  expect((await service.ask('GET', `${path}/letters`)).data).toEqual({ policy });
  expect((await service.ask('LIST', path)).data).toEqual({ keys: ['letters'] });
  const made = await Promise.all([0, 1].map(() => service.ask('GET', `${path}/letters/generate`)));
  for (const { data } of made) expect(data['password']).toMatch(/^[a-f]{16}$/);
  expect(made[0]?.data).not.toEqual(made[1]?.data);
  const base64 = Buffer.from(policy).toString('base64');
  expect(await service.ask('POST', `${path}/encoded`, { policy: base64 })).toMatchObject({ status: 204 });
  expect((await service.ask('GET', `${path}/encoded`)).data).toEqual({ policy });
  for (const name of ['letters', 'encoded', 'letters']) {
    expect(await service.ask('DELETE', `${path}/${name}`)).toMatchObject({ status: 204 });
  }
  expect(await service.ask('GET', `${path}/letters/generate`)).toMatchObject({ status: 404 });
});

test.each([
  [{}, "'policy' parameter not supplied or empty"],
  [{ policy: 5 }, 'failed to parse password policy'],
  [{ policy: {} }, 'policy'],
  [{ policy: 'length = 20' }, 'there is no rule'],
  [
    { policy: 'length = 100 rule "charset" { charset = "a" min-chars = 99 } rule "charset" { charset = "bcd" }' },
    'lower "min-chars"',
  ],
])('%j is refused', async (body, text) => {
  const answer = await service.ask('POST', `${path}/wrong`, body);
  expect(answer).toMatchObject({ status: 400, errors: [expect.stringContaining(text)] });
  expect(await service.ask('GET', `${path}/wrong`)).toMatchObject({ status: 404 });
});
