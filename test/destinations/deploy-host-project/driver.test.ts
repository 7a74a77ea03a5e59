import { expect, onTestFinished, test } from 'vitest';
import { openClient } from '#destinations/deploy-host-project/client/client.ts';
import { definition } from '#destinations/deploy-host-project/index.ts';
import { openPut } from '#destinations/deploy-host-project/put/put.ts';
import { putManyOf } from '#destinations/frame/verb/batch.ts';
import { unexpected } from '#destinations/frame/verb/verb.ts';
import { configure, failureOf, item, mark, never, open, start } from './setup.ts';

const comment = `managed by keyferry, mark ${mark}`;

test.each(['plain', '', 'zwei\nZeilen\r\n', 'Grüße 🔑 \u0000 "quoted" \\', ' padded '])(
  'the value %j is stored byte for byte',
  async (value) => {
    const fake = await start();
    await open(fake).put(item('VALUE', value), never);
    expect(fake.objects().get('VALUE')?.value).toBe(value);
  },
);

test('a variable is created for the wanted environments, encrypted, with our mark in its comment', async () => {
  const fake = await start();
  const receipt = await open(fake, { deployment_environments: ['production', 'development'] }).put(
    item('DB', 'v'),
    never,
  );
  const [variable] = fake.variables();
  expect(variable).toMatchObject({ key: 'DB', target: ['development', 'production'], type: 'encrypted', comment });
  expect(receipt.remoteVersion).toBe(`${variable?.id}:${variable?.updatedAt}`);
});

test('every put and every remove may run twice', async () => {
  const fake = await start();
  const driver = open(fake);
  const first = await driver.put(item('DB', 'v1'), never);
  const second = await driver.put(item('DB', 'v2'), never);
  expect(second.remoteVersion).not.toBe(first.remoteVersion);
  expect(fake.variables()).toHaveLength(1);
  const { remoteVersion } = second;
  await driver.remove({ name: 'DB', mark, remoteVersion }, never);
  await driver.remove({ name: 'DB', mark, remoteVersion }, never);
  expect(fake.variables()).toEqual([]);
});

test('an update recreates a variable that has vanished', async () => {
  const fake = await start();
  await open(fake).put(item('DB', 'v', { mode: 'update', remoteVersion: 'gone:1' }), never);
  expect(fake.objects().get('DB')?.value).toBe('v');
});

test('a foreign variable is a conflict, is not changed and not removed', async () => {
  const fake = await start();
  const driver = open(fake);
  fake.add({ key: 'DB', value: 'theirs', target: ['production', 'development'] });
  for (const mode of ['create', 'update'] as const) {
    const failure = await failureOf(driver.put(item('DB', 'ours', { mode }), never));
    expect(failure).toMatchObject({
      kind: 'conflict',
      message: expect.stringContaining('DB for production, development'),
    });
  }
  await driver.remove({ name: 'DB', mark, remoteVersion: null }, never);
  expect(fake.variables()).toMatchObject([{ value: 'theirs', target: ['production', 'development'] }]);
});

test('foreign variables for other environments and for branches stay as they are', async () => {
  const fake = await start();
  const driver = open(fake, { deployment_environments: ['preview'] });
  fake.add({ key: 'DB', value: 'prod', target: ['production'] });
  fake.add({ key: 'DB', value: 'branch', target: ['preview'], gitBranch: 'fix' });
  await driver.put(item('DB', 'ours'), never);
  await driver.put(item('DB', 'again', { mode: 'update' }), never);
  await driver.remove({ name: 'DB', mark, remoteVersion: null }, never);
  expect(fake.variables().map(({ value }) => value)).toEqual(['prod', 'branch']);
});

test('a variable that another client creates between our look and our put is not overwritten', async () => {
  const fake = await start();
  const { connection, context } = configure(fake);
  const client = openClient(connection, context);
  onTestFinished(() => client.close());
  const put = openPut(client, ['preview', 'production'], async () => {
    const records = await client.list();
    fake.seed('DB', 'theirs');
    return records;
  });
  const putMany = putManyOf(definition, put, unexpected);
  const outcomes = await putMany([item('DB', 'ours'), item('API', 'ours')], never);
  expect(outcomes).toMatchObject([{ failure: { kind: 'conflict' } }, { ok: true }]);
  expect(await putMany([item('DB', 'ours')], never)).toMatchObject([{ failure: { kind: 'conflict' } }]);
  expect(fake.objects().get('DB')?.value).toBe('theirs');
});

test('adopting takes over our environments and keeps the others with their value', async () => {
  const fake = await start();
  fake.add({ key: 'DB', value: 'theirs', target: ['production', 'preview', 'development'] });
  fake.seed('API', 'theirs');
  const driver = open(fake);
  await driver.put(item('DB', 'ours', { mode: 'adopt' }), never);
  await driver.put(item('API', 'ours', { mode: 'adopt' }), never);
  expect(fake.variables()).toMatchObject([
    { key: 'DB', value: 'theirs', target: ['development'] },
    { key: 'API', value: 'ours', target: ['preview', 'production'], comment },
    { key: 'DB', value: 'ours', target: ['preview', 'production'], comment },
  ]);
});

test('when deployment_environments changes, the variable moves to the new ones', async () => {
  const fake = await start();
  const { remoteVersion } = await open(fake, { deployment_environments: ['preview'] }).put(item('DB', 'v1'), never);
  const update = { mode: 'update', remoteVersion } as const;
  await open(fake, { deployment_environments: ['production', 'development'] }).put(item('DB', 'v2', update), never);
  expect(fake.variables()).toMatchObject([{ value: 'v2', target: ['development', 'production'] }]);
});

test('our variable is recognised by its id when its comment was overwritten', async () => {
  const fake = await start();
  const driver = open(fake);
  const { remoteVersion } = await driver.put(item('DB', 'v1'), never);
  fake.change('DB', 'by hand');
  expect(await driver.inspect('DB', never)).toMatchObject({ mark: null });
  await driver.put(item('DB', 'v2', { mode: 'update', remoteVersion }), never);
  expect(fake.variables()).toMatchObject([{ value: 'v2', comment }]);
  await driver.remove({ name: 'DB', mark, remoteVersion }, never);
  expect(fake.variables()).toEqual([]);
});

test('inspect returns version and mark, and sees foreign changes', async () => {
  const fake = await start();
  const driver = open(fake);
  expect(await driver.inspect('DB', never)).toBeUndefined();
  const { remoteVersion } = await driver.put(item('DB', 'v'), never);
  expect(await driver.inspect('DB', never)).toEqual({ remoteVersion, mark });
  fake.change('DB', 'by hand');
  const seen = await driver.inspect('DB', never);
  expect(seen).not.toMatchObject({ remoteVersion });
  fake.fail({ kind: 'denied' });
  expect(await driver.inspect('DB', never)).toBe('unknown');
});

test('concurrent puts share their listing', async () => {
  const fake = await start();
  const driver = open(fake);
  await Promise.all(Array.from({ length: 10 }, (_, index) => driver.put(item(`NAME_${index}`, 'v'), never)));
  expect(fake.objects().size).toBe(10);
  expect(fake.calls().get('filterProjectEnvs')).toBeLessThanOrEqual(2);
});

test('all pages of a listing are read', async () => {
  const fake = await start();
  for (let index = 0; index < 250; index += 1) fake.seed(`NAME_${index}`, 'v');
  const failure = await failureOf(open(fake).put(item('NAME_249', 'ours'), never));
  expect(failure.kind).toBe('conflict');
  expect(fake.calls().get('filterProjectEnvs')).toBe(3);
});
