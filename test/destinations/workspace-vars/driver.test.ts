import { describe, expect, test } from 'vitest';
import { description, failureOf, item, mark, never, open, operations, start, targets } from './setup.ts';

describe.each(Object.entries(targets))('%s', (_target, fieldsOf) => {
  test('gets a variable, which is changed and removed by its id', async () => {
    const fake = await start();
    const driver = open(fake, fieldsOf(fake));
    const first = await driver.put(item('DB', 'v1', { asRecorded: true }), never);
    const [made] = fake.variables();
    expect(made).toMatchObject({ key: 'DB', value: 'v1', category: 'env', sensitive: true, hcl: false, description });
    const change = { mode: 'update', asRecorded: true, remoteVersion: first.remoteVersion } as const;
    const { remoteVersion } = await driver.put(item('DB', 'v2', change), never);
    expect(fake.variables()).toMatchObject([{ id: made?.id, value: 'v2' }]);
    expect(await driver.inspect('DB', never)).toEqual({ remoteVersion, mark, differs: false });
    await driver.remove({ name: 'DB', mark, remoteVersion, asRecorded: true }, never);
    expect(fake.variables()).toEqual([]);
    expect(operations(fake)['Workspaces.Read'] ?? 0).toBe('workspace_name' in fieldsOf(fake) ? 1 : 0);
  });

  test('is read page by page where it has pages', async () => {
    const fake = await start();
    const where = 'variable_set_id' in fieldsOf(fake) ? 'variable set' : 'workspace';
    for (let count = 0; count < 101; count += 1) fake.add({ key: `V${count}`, value: 'theirs' }, where);
    const found = await open(fake, fieldsOf(fake)).inspect('V100', never);
    expect(found).toMatchObject({ mark: null });
    expect(fake.calls().get('VariableSetVariables.List')).toBe(where === 'variable set' ? 2 : undefined);
  });
});

test.each(['', '/', '/api/v2', '/api/v2/'])('the address may end with %j', async (end) => {
  const fake = await start();
  await open(fake, { endpoint: '', address: `${fake.url}${end}` }).put(item('DB', 'v'), never);
  expect(fake.objects().get('DB')?.value).toBe('v');
});

test('category, hcl, description and sensitive are set as in the destination', async () => {
  const fake = await start();
  const fields = { category: 'terraform', hcl: true, sensitive: false, description: 'for the nightly run' };
  await open(fake, fields).put(item('zones', '["a"]'), never);
  expect(fake.variables()).toMatchObject([
    { category: 'terraform', hcl: true, sensitive: false, description: `for the nightly run; ${description}` },
  ]);
});

test('a look reports when the settings of a variable differ from the destination', async () => {
  const fake = await start();
  await open(fake, { sensitive: false }).put(item('DB', 'v'), never);
  expect(await open(fake, { sensitive: false }).inspect('DB', never)).toMatchObject({ differs: false });
  expect(await open(fake).inspect('DB', never)).toMatchObject({ differs: true });
});

test('a sensitive variable stays sensitive, and gets its value', async () => {
  const fake = await start();
  const { remoteVersion } = await open(fake).put(item('DB', 'v1'), never);
  const readable = open(fake, { sensitive: false });
  await readable.put(item('DB', 'v2', { mode: 'update', remoteVersion }), never);
  expect(fake.variables()).toMatchObject([{ value: 'v2', sensitive: true }]);
  expect(await readable.inspect('DB', never)).toMatchObject({ differs: false });
});

test('a destination that changes its category moves its variables and keeps those of others', async () => {
  const fake = await start();
  fake.add({ key: 'db', value: 'theirs', category: 'policy-set' });
  const { remoteVersion } = await open(fake).put(item('db', 'v1'), never);
  const update = { mode: 'update', remoteVersion, asRecorded: true } as const;
  await open(fake, { category: 'engine' }).put(item('db', 'v2', update), never);
  expect(fake.variables()).toMatchObject([
    { category: 'policy-set', value: 'theirs' },
    { category: 'terraform', value: 'v2' },
  ]);
});

test('a first push over a foreign variable is a conflict after a second call, and changes nothing', async () => {
  const fake = await start();
  fake.seed('DB', 'theirs');
  const failure = await failureOf(open(fake).put(item('DB', 'ours', { asRecorded: true }), never));
  expect(failure).toMatchObject({ kind: 'conflict', untouched: true });
  expect(operations(fake)).toEqual({ 'Variables.Create': 1, 'Variables.List': 1 });
  expect(fake.objects().get('DB')?.value).toBe('theirs');
});

test('a foreign variable that was created after ours was removed is a conflict, and is kept', async () => {
  const fake = await start();
  const driver = open(fake);
  const { remoteVersion } = await driver.put(item('DB', 'ours'), never);
  await driver.remove({ name: 'DB', mark, remoteVersion }, never);
  fake.seed('DB', 'theirs');
  const update = item('DB', 'newer', { mode: 'update', remoteVersion, asRecorded: true });
  expect(await failureOf(driver.put(update, never))).toMatchObject({ kind: 'conflict' });
  await driver.remove({ name: 'DB', mark, remoteVersion, asRecorded: true }, never);
  expect(fake.objects().get('DB')?.value).toBe('theirs');
});

test('a renamed variable gets its name back', async () => {
  const fake = await start();
  const driver = open(fake);
  const { remoteVersion } = await driver.put(item('DB', 'v1'), never);
  const [made] = fake.variables();
  if (made !== undefined) made.key = 'RENAMED';
  await driver.put(item('DB', 'v2', { mode: 'update', remoteVersion, asRecorded: true }), never);
  expect(fake.variables()).toMatchObject([{ id: made?.id, key: 'DB', value: 'v2' }]);
});

test('a workspace that was recreated under its name gets the variable', async () => {
  const fake = await start();
  const driver = open(fake, targets['a workspace by its name'](fake));
  const { remoteVersion } = await driver.put(item('DB', 'v1'), never);
  fake.remakeWorkspace();
  await driver.put(item('DB', 'v2', { mode: 'update', remoteVersion, asRecorded: true }), never);
  expect(fake.variables()).toMatchObject([{ key: 'DB', value: 'v2' }]);
});
