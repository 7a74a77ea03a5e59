import { readFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { only, statuses } from '#test/support/flow/associations.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { startCluster } from '#test/support/redis/cluster.ts';

const type = 'cloud-a-sm';
const other = 'repo-host';
const prefix = '{flow}';
const password = 'of-the-user';

/** As docs/operating/redis.md states them. */
const rules = /^ACL SETUSER keyferry (.*)$/m.exec(readFileSync('docs/operating/redis.md', 'utf8'))?.[1] ?? '';

/** The documented user, on each node. The service gets the address of one node that has none of its keys. */
const cluster = await startCluster();
const ruleWords = rules.replaceAll('{keyferry}', prefix).replace('<password>', password).split(' ');
for (const { client } of cluster.nodes) await client.call('ACL', 'SETUSER', 'keyferry', ...ruleWords);
const owner = await cluster.ownerOf(prefix);
const elsewhere = cluster.nodes.find((node) => node !== owner);
const REDIS_URL = `redis://keyferry:${password}@127.0.0.1:${elsewhere?.port}`;

const service = serviceOf([type, other], { REDIS_URL, KEYFERRY_REDIS_PREFIX: prefix });
afterAll(() => cluster.stop());

const refusedCommands = async () =>
  (await Promise.all(cluster.nodes.map(({ client }) => client.call('ACL', 'LOG')))).flat().map(String);

test('the whole service works on one node of a cluster as a user with minimal rights', async () => {
  const place = await service.destination(type);
  const secret = await service.secret({ v: '1' });
  expect(statuses(await service.set(type, place, secret))).toEqual(['SYNCED']);
  await service.secret({ v: '2' }, secret);
  await service.untilQuiet();
  expect([...service.fake(type).objects().values()].map(({ value }) => value)).toEqual([JSON.stringify({ v: '2' })]);

  const failing = await service.destination(other);
  service.fake(other).fail({ kind: 'denied' });
  expect(statuses(await service.set(other, failing, secret))).toEqual(['CLIENT_SIDE_ERROR']);
  service.fake(other).heal();
  expect((await service.ask('POST', 'sys/sync/replay', {})).data['replayed']).toBe(1);
  await service.untilQuiet();
  expect(only(await service.associations(other, failing)).sync_status).toBe('SYNCED');

  await service.ask('PATCH', 'sys/sync/config', { disabled: true, queue_capacity: 1 });
  const paused = await service.secret({ v: 'paused' });
  expect(statuses(await service.set(type, place, paused))).toEqual(['PENDING']);
  expect(await pending()).toBe(1);
  expect((await service.ask('GET', 'sys/metrics')).status).toBe(200);
  const full = await service.ask('POST', `sys/sync/destinations/${type}/${place}/associations/set`, {
    mount: 'secret',
    secret_name: await service.secret({ v: 'too many' }),
  });
  expect([full.status, full.errors.join()]).toEqual([503, expect.stringContaining('the sync queue is full')]);
  await service.ask('DELETE', 'sys/sync/config');
  await service.until(type, place, paused, ([record]) => record?.sync_status === 'SYNCED');

  expect(statuses(await service.remove(type, place, secret))).toEqual(['UNSYNCED']);
  await service.sweep();
  expect(await refusedCommands()).toEqual([]);
});

const pending = async () => Number(await cluster.call(prefix, 'HLEN', `${prefix}:pending`));

const after = ({ headers }: Response) => headers.get('retry-after')?.replace(/^\d+$/, '1') ?? [];

test('a request during the failover of the slot succeeds or gets 503 with Retry-After, and everything arrives', async () => {
  const place = await service.destination(type);
  const secrets = await Promise.all(Array.from({ length: 10 }, (_, index) => service.secret({ v: `a${index}` })));
  for (const secret of secrets) await service.set(type, place, secret);
  const killed = await cluster.ownerOf(prefix);
  await killed.kill();
  const answers = await Promise.all(
    secrets.map((name) => service.ask('POST', `secret/data/${name}`, { data: { v: `b${name}` } })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const path = `${service.address}/v1/sys/sync/destinations/${type}/${place}/associations/set`;
  const late = await fetch(path, {
    method: 'POST',
    headers: { 'x-service-token': service.rootToken, 'content-type': 'application/json' },
    body: JSON.stringify({ mount: 'secret', secret_name: secrets[0] }),
  });
  expect(['200', '503 after 1']).toContain([late.status, ...after(late)].join(' after '));
  await eventually(async () => {
    await service.sweep().catch(() => {});
    const values = [...service.fake(type).objects().values()].map(({ value }) => value);
    return secrets.every((name) => values.includes(JSON.stringify({ v: `b${name}` })));
  });
  await eventually(async () => (await pending()) === 0);
});
