import { expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { definitions } from '#destinations/index.ts';
import type { GateBudget } from '#queue/contract.ts';
import { openGate } from '#queue/gate/gate.ts';
import type { Store } from '#store/store.ts';
import { keepAccounts } from '#sync/drivers/accounts.ts';
import { patientLimits } from '../../queue/queues.ts';
import { testStore } from '../../store/stores.ts';
import { ending, testRedis } from '../../support/services.ts';

type Given = Readonly<Record<string, unknown>>;

/** For each type: connections that share an account, and connections with other accounts. */
const connections: Readonly<Record<string, { readonly same: readonly Given[]; readonly others: readonly Given[] }>> = {
  'cloud-a-sm': {
    same: [
      { role_arn: 'arn:aws:iam::123456789012:role/a', region: 'eu-west-1', kms_key_id: 'x' },
      { role_arn: 'arn:aws:iam::123456789012:role/b', region: 'eu-west-1', access_key_id: 'AKIA1' },
    ],
    others: [
      { role_arn: 'arn:aws:iam::123456789012:role/a', region: 'eu-west-2' },
      { role_arn: 'arn:aws:iam::123456789013:role/a', region: 'eu-west-1' },
      { access_key_id: 'AKIA1', region: 'eu-west-1' },
      { region: 'eu-west-1' },
      { role_arn: 'arn:aws:iam::123456789012:role/a', region: 'eu-west-1', endpoint: 'https://elsewhere.example.com' },
    ],
  },
  'cloud-b-kv': {
    same: [
      { key_vault_uri: 'https://one.vault.azure.net', client_id: 'a' },
      { key_vault_uri: 'https://ONE.vault.azure.net/', client_id: 'b' },
    ],
    others: [{ key_vault_uri: 'https://two.vault.azure.net', client_id: 'a' }],
  },
  'cloud-c-sm': {
    same: [
      { project_id: 'one', credentials: '{}' },
      { project_id: 'one', credentials: '@key.json' },
    ],
    others: [{ project_id: 'two', credentials: '{}' }, { credentials: '@key.json' }, { credentials: '@other.json' }],
  },
  'repo-host': {
    same: [
      { app_name: 'a', installation_id: 7, repository_name: 'x' },
      { app_name: 'b', installation_id: 7, repository_name: 'y', access_token: 't' },
    ],
    others: [
      { app_name: 'a', installation_id: 8 },
      { access_token: '7' },
      { access_token: 't' },
      { access_token: 't', enterprise_url: 'https://git.example.com' },
    ],
  },
  'deploy-host-project': {
    same: [
      { project_id: 'prj_one', access_token: 'a' },
      { project_id: 'prj_one', access_token: 'b', team_id: 't' },
    ],
    others: [
      { project_id: 'prj_two', access_token: 'a' },
      { project_id: 'one', access_token: 'a' },
      { project_id: 'one', access_token: 'b' },
    ],
  },
  'workspace-vars': {
    same: [
      { token: 'a', workspace_id: 'ws-1' },
      { token: 'a', workspace_id: 'ws-2', address: 'https://app.terraform.io/' },
    ],
    others: [{ token: 'b' }, { token: 'a', address: 'https://terraform.example.com' }],
  },
};

async function newDestination(
  { db, barrier }: Store,
  type: string,
  name: string,
  connection: Given,
  group: { readonly rate_group?: string; readonly namespace_id?: string } = {},
): Promise<string> {
  const folder = group.namespace_id === undefined ? '' : `${group.namespace_id}/`;
  const { id } = await db
    .insertInto('destinations')
    .values({
      type,
      name,
      connection: barrier.seal(JSON.stringify(connection), `destinations/${folder}${type}/${name}`),
      ...group,
      granularity: 'secret-path',
      template: null,
      custom_tags: '{}',
      network: '{"allowed_ipv4_addresses":[],"allowed_ipv6_addresses":[],"allowed_ports":[]}',
      adopt: false,
      updated_at: new Date(),
      purge_initiated_at: null,
      purge_error: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

test.each(definitions)(
  'destinations of $type share an account exactly if the provider counts their calls together',
  async (definition) => {
    const store = ending(await testStore());
    const accounts = keepAccounts(definition, { store, clock: systemClock });
    const { same = [], others = [] } = connections[definition.type] ?? {};
    const made = async (given: readonly Given[], name: string) =>
      Promise.all(given.map((one, index) => newDestination(store, definition.type, `${name}${index}`, one)));
    const ofSame = await Promise.all((await made(same, 'same')).map(accounts));
    const ofOthers = await Promise.all((await made(others, 'other')).map(accounts));
    expect(ofSame.length).toBeGreaterThan(1);
    expect(new Set(ofSame).size).toBe(1);
    expect(new Set([...ofSame, ...ofOthers]).size).toBe(1 + others.length);
    // The name of an account is a keyed hash, which reveals nothing.
    for (const account of [...ofSame, ...ofOthers]) expect(account).toMatch(/^[\w-]{43}$/);
  },
);

test('two destinations of one account share its limit', async () => {
  const store = ending(await testStore());
  const [definition] = definitions;
  if (definition === undefined) throw new Error('there is no type');
  const accounts = keepAccounts(definition, { store, clock: systemClock });
  const connection = { role_arn: 'arn:aws:iam::123456789012:role/a', region: 'eu-west-1' };
  const ids = await Promise.all(['x', 'y'].map((name) => newDestination(store, definition.type, name, connection)));
  const { url, prefix } = testRedis();
  let now = 1_700_000_000_000;
  const clock = { now: () => new Date(now) };
  const gate = ending(openGate({ redisUrl: url, prefix, clock, limits: patientLimits }));
  const budget: GateBudget = { ...definition.rate, concurrencyMax: 100, passMs: 30_000 };
  let calls = 0;
  // A second in steps of 20 ms, with more jobs at each step than the limit admits.
  for (const until = now + 1_000; now < until; now += 20) {
    const jobs = Array.from({ length: 4 }, (_, index) => ids[index % 2] ?? '');
    await Promise.all(
      jobs.map(async (id) => {
        const pass = await gate.enter(id, budget, await accounts(id));
        if (!pass.admitted) return;
        calls += 1;
        await pass.leave('well');
      }),
    );
  }
  const { callsPerSecond, burst } = definition.rate;
  expect(calls).toBeLessThanOrEqual(callsPerSecond + burst);
  expect(calls).toBeGreaterThanOrEqual(callsPerSecond);
});

test('destinations of one type and namespace with the same rate group share an account, whatever they connect to', async () => {
  const store = ending(await testStore());
  const [definition, other] = definitions;
  if (definition === undefined || other === undefined) throw new Error('there are no two types');
  await store.db.insertInto('namespaces').values({ id: 'n1', path: 'team/', custom_metadata: '{}' }).execute();
  const accounts = keepAccounts(definition, { store, clock: systemClock });
  const { type } = definition;
  const [key1, key2] = [{ access_key_id: 'AKIA1' }, { access_key_id: 'AKIA2' }];
  const together = await Promise.all([
    newDestination(store, type, 'a', key1, { rate_group: 'east' }).then(accounts),
    newDestination(store, type, 'b', key2, { rate_group: 'east' }).then(accounts),
  ]);
  const apart = await Promise.all([
    newDestination(store, type, 'c', key1).then(accounts),
    newDestination(store, type, 'd', key1, { rate_group: 'West' }).then(accounts),
    newDestination(store, type, 'e', key1, { rate_group: 'east', namespace_id: 'n1' }).then(accounts),
    newDestination(store, other.type, 'f', {}, { rate_group: 'east' }).then(
      keepAccounts(other, { store, clock: systemClock }),
    ),
  ]);
  expect(new Set(together).size).toBe(1);
  expect(new Set([...together, ...apart]).size).toBe(5);
  for (const account of [...together, ...apart]) expect(account).toMatch(/^[\w-]{43}$/);
});

test('a destination that was deleted, or whose connection cannot be read, has an account of its own', async () => {
  const store = ending(await testStore());
  const [definition] = definitions;
  if (definition === undefined) throw new Error('there is no type');
  const id = await newDestination(store, definition.type, 'x', {});
  await store.db.updateTable('destinations').set({ name: 'y' }).where('id', '=', id).execute();
  const accounts = keepAccounts(definition, { store, clock: systemClock });
  expect(await accounts(id)).toBe(id);
  expect(await accounts('4711')).toBe('4711');
});

test('a changed connection counts against its new account after a minute', async () => {
  const store = ending(await testStore());
  const [definition] = definitions;
  if (definition === undefined) throw new Error('there is no type');
  const id = await newDestination(store, definition.type, 'x', { access_key_id: 'AKIA1' });
  let now = 1;
  const accounts = keepAccounts(definition, { store, clock: { now: () => new Date(now) } });
  const before = await accounts(id);
  const changed = store.barrier.seal(JSON.stringify({ access_key_id: 'AKIA2' }), `destinations/${definition.type}/x`);
  await store.db.updateTable('destinations').set({ connection: changed }).where('id', '=', id).execute();
  expect(await accounts(id)).toBe(before);
  now += 60_001;
  expect(await accounts(id)).not.toBe(before);
});
