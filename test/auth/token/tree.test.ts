import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hashToken } from '#auth/token/find/store.ts';
import { mintToken } from '#auth/token/issue/mint.ts';
import { reapStep } from '#auth/token/revoke/reap.ts';
import { dropExpired, markToken } from '#auth/token/revoke/revoke.ts';
import { Secret } from '#core/secret.ts';
import { tokenBench } from './setup.ts';

const bench = tokenBench();
const hashOf = (token: string) => hashToken(bench.store.barrier, new Secret(token));
const make = async (parent: string, fields = {}) =>
  (await bench.create(parent, { policies: ['default'], ...fields })).client_token;

/** A chain of tokens, each the child of the one before. */
async function chain(length: number): Promise<readonly string[]> {
  const tokens: string[] = [];
  for (let parent = bench.root; tokens.length < length; ) {
    parent = await make(parent);
    tokens.push(parent);
  }
  return tokens;
}

/** Writes a tree with `width` children of each token, in one statement. Returns the text of a leaf. */
async function bigTree(parent: string, width: number, depth: number): Promise<string> {
  const leaf = await make(parent);
  await sql`
    with recursive tree (hash, parent, level) as (
      select ${hashOf(parent)}::bytea, null::bytea, 0
      union all
      select sha256(tree.hash || int4send(n)), tree.hash, level + 1
        from tree cross join generate_series(1, ${width}::int) as n where level < ${depth}
    )
    insert into tokens (hash, accessor, parent, policies, meta, display_name, path, type, num_uses, period, explicit_max_ttl,
                        creation_ttl, creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)
    select tree.hash, encode(tree.hash, 'hex'), tree.parent, '{default}', null, 'token', 'auth/token/create', 'service', 0, 0, 0,
           3600, now(), now() + interval '1 hour', true, false, '', '', '{}'
      from tree where level > 0`.execute(bench.store.db);
  await sql`
    update tokens set parent = (select c.hash from tokens c where length(c.accessor) = 64
                                 and not exists (select 1 from tokens d where d.parent = c.hash) limit 1)
     where hash = ${hashOf(leaf)}`.execute(bench.store.db);
  return leaf;
}

describe('revoking a token', () => {
  test('refuses every descendant at once, before its row is reached, and no other token', async () => {
    const [first = '', second = '', ...others] = await chain(5);
    const sibling = await make(first);
    await markToken(bench.store, hashOf(second));
    expect(await bench.isAccepted(first)).toBe(true);
    expect(await bench.isAccepted(sibling)).toBe(true);
    for (const token of [second, ...others]) expect(await bench.isAccepted(token)).toBe(false);
    await bench.reaper.reap();
    expect(await bench.isAccepted(sibling)).toBe(true);
  });

  test('is not needed when a token expires: its descendants are refused from that moment', async () => {
    const [first = '', second = '', third = '', ...others] = await chain(6);
    const expire = (token: string, at: string) =>
      sql`update tokens set expire_at = now() + ${at}::interval where hash = ${hashOf(token)}`.execute(bench.store.db);
    await expire(second, '0 seconds');
    expect(await bench.isAccepted(first)).toBe(true);
    for (const token of [second, third, ...others]) expect(await bench.isAccepted(token)).toBe(false);
    await expire(second, '1 hour');
    for (const token of [third, ...others]) expect(await bench.isAccepted(token)).toBe(true);
  });

  test('continues in any process after an interruption', async () => {
    const before = await bench.rows();
    const top = await make(bench.root);
    await bigTree(top, 12, 2);
    await markToken(bench.store, hashOf(top));
    await reapStep(bench.store);
    expect(await bench.rows()).toBeGreaterThan(before);
    await dropExpired(bench.store, 10_000);
    expect(await bench.rows()).toBe(before);
  });

  test('of 9,000 descendants on five levels takes bounded steps, and reports its progress', async () => {
    const before = await bench.rows();
    const top = await make(bench.root);
    const leaf = await bigTree(top, 6, 5);
    expect(await bench.rows()).toBeGreaterThan(9_000);
    expect(await bench.isAccepted(leaf)).toBe(true);
    await markToken(bench.store, hashOf(top));
    expect(await bench.isAccepted(leaf)).toBe(false);
    for (let step = await reapStep(bench.store); step.seen > 0; step = await reapStep(bench.store)) {
      expect(step.marked).toBeLessThanOrEqual(1_000);
      expect(step.deleted).toBeLessThanOrEqual(1_000);
    }
    expect(await bench.rows()).toBe(before);
  });

  test('leaves no child behind that is created at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const before = await bench.rows();
      const parent = await make(bench.root);
      const children = Array.from({ length: 10 }, () => make(parent).catch(() => undefined));
      await bench.call(bench.root, 'write', 'revoke', { token: parent });
      const made = (await Promise.all(children)).filter((child) => child !== undefined);
      for (const child of made) expect(await bench.isAccepted(child)).toBe(false);
      await bench.reaper.reap();
      expect(await bench.rows()).toBe(before);
    }
  });

  test('waits for a child that is being written, and deletes it', async () => {
    const before = await bench.rows();
    const parent = await make(bench.root);
    let entered: () => void = () => {};
    const isIn = new Promise<void>((resolve) => {
      entered = resolve;
    });
    let commit: () => void = () => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    const writing = bench.store.transaction(async (tx) => {
      await mintToken(
        { db: tx, barrier: bench.store.barrier },
        {
          namespaceId: 'root',
          parent: hashOf(parent),
          policies: ['default'],
          meta: null,
          displayName: '',
          path: 'auth/token/create',
          ttl: 3_600,
          explicitMaxTtl: 0,
          period: 0,
          numUses: 0,
          renewable: true,
          orphan: false,
          entityId: '',
          role: '',
          loginRole: '',
          boundCidrs: [],
        },
      );
      entered();
      await mayCommit;
    });
    await isIn;
    await markToken(bench.store, hashOf(parent));
    expect(await reapStep(bench.store)).toMatchObject({ deleted: 0 });
    commit();
    await writing;
    await bench.reaper.reap();
    expect(await bench.rows()).toBe(before);
  });
});

describe('revoking a token alone', () => {
  test('makes its children orphans, which stay valid', async () => {
    const [parent = '', child = '', grandchild = ''] = await chain(3);
    await bench.call(bench.root, 'write', 'revoke-orphan', { token: parent });
    expect(await bench.isAccepted(parent)).toBe(false);
    expect((await bench.call(child, 'read', 'lookup-self'))?.data).toMatchObject({ orphan: true });
    expect((await bench.call(grandchild, 'read', 'lookup-self'))?.data).toMatchObject({ orphan: false });
    await bench.call(bench.root, 'write', `revoke-orphan/${child}`);
    expect(await bench.isAccepted(grandchild)).toBe(true);
  });

  test('that does not exist is an error', async () => {
    await expect(bench.call(bench.root, 'write', 'revoke-orphan', { token: 'hvs.none' })).rejects.toThrow(
      'token to revoke not found',
    );
  });
});

test('an expired token is deleted with its children', async () => {
  const [parent = '', child = ''] = await chain(2);
  await sql`update tokens set expire_at = now() - interval '1 second' where hash = ${hashOf(parent)}`.execute(
    bench.store.db,
  );
  expect(await bench.isAccepted(parent)).toBe(false);
  await dropExpired(bench.store, 100);
  expect(await bench.isAccepted(child)).toBe(false);
});
