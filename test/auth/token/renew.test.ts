import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hashToken } from '#auth/token/find/store.ts';
import { renewedLife } from '#auth/token/issue/life.ts';
import { Secret } from '#core/secret.ts';
import { tokenBench } from './setup.ts';

const leases = { default_lease_ttl: 1_000, max_lease_ttl: 10_000 };
const token = { increment: 0, usualTtl: 100, period: 0, explicitMaxTtl: 0, age: 50 };

describe('a renewed token lives', () => {
  test.each([
    [{}, 100],
    [{ usualTtl: 0 }, 1_000],
    [{ increment: 500 }, 500],
    [{ increment: 20_000 }, 9_950],
    [{ increment: 500, explicitMaxTtl: 300 }, 250],
    [{ period: 700, increment: 5 }, 700],
    [{ period: 700, age: 50_000 }, 700],
    [{ period: 20_000 }, 10_000],
    [{ period: 700, explicitMaxTtl: 600 }, 550],
    [{ age: 9_999.5 }, 0],
  ])('with %j for %i seconds', (changes, seconds) => {
    expect(renewedLife({ ...token, ...changes }, leases)?.ttl).toBe(seconds);
  });

  test.each([[{ age: 10_000 }], [{ explicitMaxTtl: 50 }], [{ period: 700, explicitMaxTtl: 50 }]])(
    'with %j no longer',
    (changes) => {
      expect(renewedLife({ ...token, ...changes }, leases)).toBeUndefined();
    },
  );

  test('for less than requested with a warning', () => {
    expect(renewedLife({ ...token, increment: 20_000 }, leases)?.warnings).toEqual([
      expect.stringMatching(/^TTL of "5h33m20s" exceeded the effective max_ttl of "2h45m50s"/),
    ]);
  });
});

describe('renewing', () => {
  const bench = tokenBench();
  const make = (fields = {}) => bench.create(bench.root, { policies: ['default'], ttl: '1h', ...fields });

  test('by token, as itself or by accessor returns the auth object, and the look-up shows it', async () => {
    const made = await make();
    const asked = { increment: '2h' };
    const byToken = await bench.call(bench.root, 'write', 'renew', { token: made.client_token, ...asked });
    const byPath = await bench.call(bench.root, 'write', `renew/${made.client_token}`, asked);
    const bySelf = await bench.call(made.client_token, 'write', 'renew-self', asked);
    const byAccessor = await bench.call(bench.root, 'write', 'renew-accessor', { accessor: made.accessor, ...asked });
    const auth = { accessor: made.accessor, lease_duration: 7_200, renewable: true, token_type: 'service' };
    for (const reply of [byToken, byPath, bySelf])
      expect(reply?.auth).toMatchObject({ ...auth, client_token: made.client_token });
    expect(byAccessor?.auth).toMatchObject({ ...auth, client_token: '' });
    const { data } = (await bench.call(bench.root, 'write', 'lookup-accessor', { accessor: made.accessor })) ?? {};
    expect(data).toMatchObject({ id: '', creation_ttl: 3_600, last_renewal: expect.any(String), renewable: true });
    expect(data).toHaveProperty('ttl', expect.closeTo(7_200, -2));
  });

  test.each([
    [{ renewable: false }, 'lease is not renewable'],
    [{ policies: ['root'], ttl: 0 }, 'invalid lease ID'],
  ])('a token with %j is refused', async (fields, message) => {
    const made = await make(fields);
    await expect(bench.call(made.client_token, 'write', 'renew-self')).rejects.toThrow(message);
  });

  test('an unknown token is refused', async () => {
    await expect(bench.call(bench.root, 'write', 'renew', { token: 'hvs.no' })).rejects.toThrow('token not found');
    await expect(bench.call(bench.root, 'write', 'renew')).rejects.toThrow('missing token ID');
    await expect(bench.call(bench.root, 'write', 'renew-accessor')).rejects.toThrow('missing accessor');
    await expect(bench.call(bench.root, 'write', 'renew-accessor', { accessor: 'x' })).rejects.toThrow(
      'invalid accessor',
    );
  });

  test('past the explicit maximum is refused', async () => {
    const made = await make({ explicit_max_ttl: '2h' });
    const hash = hashToken(bench.store.barrier, new Secret(made.client_token));
    await sql`update tokens set creation_time = now() - interval '3 hours' where hash = ${hash}`.execute(
      bench.store.db,
    );
    await expect(bench.call(made.client_token, 'write', 'renew-self')).rejects.toThrow('past the max TTL');
  });

  test('a periodic token follows the present settings of its role, and is refused without the role', async () => {
    await bench.call(bench.root, 'write', 'roles/beat', { token_period: '10m' });
    const made = await bench.create(bench.root, { policies: ['default'] }, 'create/beat');
    expect(made.lease_duration).toBe(600);
    await bench.call(bench.root, 'write', 'roles/beat', { token_period: '5m' });
    const renewed = await bench.call(made.client_token, 'write', 'renew-self', { increment: '1h' });
    expect(renewed?.auth?.lease_duration).toBe(300);
    await bench.call(bench.root, 'delete', 'roles/beat');
    await expect(bench.call(made.client_token, 'write', 'renew-self')).rejects.toThrow(
      'could not be found, not renewing',
    );
  });
});
