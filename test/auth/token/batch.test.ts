import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hashToken } from '#auth/token/find/store.ts';
import { Secret } from '#core/secret.ts';
import { tokenBench } from './setup.ts';

const bench = tokenBench();
const batch = { type: 'batch', policies: ['default'], ttl: '1h' };

describe('a batch token', () => {
  test('has no row and no accessor, and contains everything about itself', async () => {
    const before = await bench.rows();
    const made = await bench.create(bench.root, { ...batch, meta: { team: 'ci' }, display_name: 'job' });
    expect(made).toMatchObject({ accessor: '', token_type: 'batch', renewable: false, lease_duration: 3_600 });
    expect(made.client_token).toMatch(/^hvb\./);
    expect(await bench.rows()).toBe(before);
    const self = await bench.call(made.client_token, 'read', 'lookup-self');
    const other = await bench.call(bench.root, 'write', 'lookup', { token: made.client_token });
    expect(self?.data).toMatchObject({ type: 'batch', meta: { team: 'ci' }, display_name: 'token-job', orphan: false });
    expect(other?.data).toMatchObject({ id: made.client_token, policies: ['default'], accessor: '' });
  });

  test.each([
    ['revoke', 'batch tokens cannot be revoked'],
    ['renew', 'batch tokens cannot be renewed'],
  ])('%s refuses it', async (path, message) => {
    const { client_token: token } = await bench.create(bench.root, batch);
    await expect(bench.call(bench.root, 'write', path, { token })).rejects.toThrow(message);
    await expect(bench.call(token, 'write', `${path}-self`)).rejects.toThrow(message);
  });

  test('cannot create other tokens', async () => {
    const { client_token: token } = await bench.create(bench.root, batch);
    await expect(bench.create(token)).rejects.toThrow('batch tokens cannot create more tokens');
  });

  test.each([
    [{ explicit_max_ttl: '1h' }, 'batch tokens cannot have "explicit_max_ttl" set'],
    [{ num_uses: 3 }, 'batch tokens cannot have "num_uses" set'],
    [{ period: '1h' }, 'batch tokens cannot have "period" set'],
    [{ policies: ['root'] }, 'batch tokens cannot be root tokens'],
    [{ id: 'own' }, 'batch tokens cannot have a custom ID'],
    [{ meta: { text: 'x'.repeat(8_000) } }, 'the batch token would be too long'],
  ])('cannot be created with %j', async (fields, message) => {
    await expect(bench.create(bench.root, { ...batch, ...fields })).rejects.toThrow(message);
  });

  test('ends with its parent, whatever the cause', async () => {
    const parent = await bench.create(bench.root, { policies: ['default'] });
    const { client_token: token } = await bench.create(parent.client_token, { type: 'batch' });
    expect(await bench.isAccepted(token)).toBe(true);
    const hash = hashToken(bench.store.barrier, new Secret(parent.client_token));
    await sql`update tokens set expire_at = now() where hash = ${hash}`.execute(bench.store.db);
    expect(await bench.isAccepted(token)).toBe(false);
  });

  test('without a parent survives the revocation of its creator', async () => {
    const maker = await bench.create(bench.root, { policies: ['default'] });
    const { client_token: orphan } = await bench.create(maker.client_token, { type: 'batch' }, 'create-orphan');
    const { client_token: child } = await bench.create(maker.client_token, { type: 'batch' });
    await bench.call(bench.root, 'write', 'revoke', { token: maker.client_token });
    expect([await bench.isAccepted(orphan), await bench.isAccepted(child)]).toEqual([true, false]);
  });

  test('that was modified, or sealed by another installation, is unknown', async () => {
    const { client_token: token } = await bench.create(bench.root, batch);
    const bytes = Buffer.from(token.slice(4), 'base64url');
    for (const at of [0, 15, 16, 20, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(await bench.isAccepted(`hvb.${changed.toString('base64url')}`)).toBe(false);
    }
    for (const text of ['hvb.', 'hvb.AAAA', `hvb.${'A'.repeat(500)}`]) expect(await bench.isAccepted(text)).toBe(false);
  });

  test('stays valid after a rotation of the keyring', async () => {
    const { client_token: token } = await bench.create(bench.root, batch);
    await bench.store.seal.rotate();
    expect(await bench.isAccepted(token)).toBe(true);
  });

  test('is invalid from the moment of its expiry', async () => {
    const { client_token: token } = await bench.create(bench.root, { ...batch, ttl: '1s' });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await bench.isAccepted(token)).toBe(false);
  });
});
