import { expect, test } from 'vitest';
import { printedRows as rowsOf, syncLines } from '#test/support/cli/syncs.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const { line, destinationWith } = syncLines(service);

test('a check shows each step, and fails with a remedy when the credentials are refused', async () => {
  const at = `cloud-a-sm/${await service.destination('cloud-a-sm')}`;
  const passed = await line('destinations', 'check', at, '-o', 'ndjson');
  expect(passed.code).toBe(0);
  expect(rowsOf(passed.output).find(({ step }) => step === 'login')).toMatchObject({ outcome: 'passed' });
  service.fake('cloud-a-sm').fail({ kind: 'credentials' });
  const failed = await line('destinations', 'check', at, '-o', 'ndjson');
  expect(failed.code).toBe(1);
  const login = rowsOf(failed.output).find(({ step }) => step === 'login');
  expect(login).toMatchObject({
    outcome: 'failed',
    cause: expect.stringMatching(/./),
    remedy: expect.stringMatching(/./),
  });
});

test('records are listed by the filter, up to the limit, and one of them is shown', async () => {
  const name = await destinationWith(3);
  const filter = ['--type', 'cloud-a-sm', '--name', name];
  const all = await line('records', 'list', ...filter, '-o', 'ndjson');
  expect(rowsOf(all.output).map(({ destination, status }) => [destination, status])).toEqual(
    Array.from({ length: 3 }, () => [`cloud-a-sm/${name}`, 'SYNCED']),
  );
  const some = await line('records', 'list', ...filter, '--limit', '2', '-o', 'ndjson');
  expect(rowsOf(some.output)).toEqual(rowsOf(all.output).slice(0, 2));
  expect(some.errors).toContain('2 of 3');
  expect(rowsOf((await line('records', 'list', ...filter, '--status', 'PENDING', '-o', 'ndjson')).output)).toEqual([]);
  const [{ id, secret }] = rowsOf(all.output);
  const one = JSON.parse((await line('records', 'get', id, '-o', 'json')).output);
  expect(`${one.mount}/${one.secret_name}`).toBe(secret);
  expect(await line('records', 'get', 'nothing')).toMatchObject({ code: 1 });
  expect(await line('records', 'list', '--status', 'BROKEN')).toMatchObject({
    code: 1,
    errors: expect.stringContaining('PENDING, SYNCED'),
  });
});

test('--watch lists the records again, and shows one again', async () => {
  const name = await destinationWith(1);
  const watch = ['--watch', '--interval', '1', '--times', '2', '-o', 'ndjson'];
  const { output } = await line('records', 'list', '--name', name, ...watch);
  expect(rowsOf(output)).toHaveLength(2);
  const [{ id }] = rowsOf(output);
  const one = rowsOf((await line('records', 'get', id, ...watch)).output);
  expect(one.map((record) => record.id)).toEqual([id, id]);
});

test('a batch counts first, needs --yes without a terminal, and tells the outcomes', async () => {
  const filter = ['--type', 'cloud-a-sm', '--name', await destinationWith(2)];
  const dry = await line('batches', 'create', 'force', ...filter, '--dry-run', '-o', 'ndjson');
  expect(rowsOf(dry.output)).toEqual([{ destination: `cloud-a-sm/${filter[3]}`, status: 'SYNCED', count: 2 }]);
  const asked = await line('batches', 'create', 'force', ...filter);
  expect(asked).toMatchObject({ code: 2, errors: expect.stringContaining('Push again 2 syncs? Without a terminal') });
  const done = await line('batches', 'create', 'force', ...filter, '--yes', '--wait', '-o', 'json');
  expect(done.code, done.errors).toBe(0);
  const batch = JSON.parse(done.output);
  expect(batch).toMatchObject({ state: 'done', changed: 2, counts: { synced: 2, failed: 0 } });
  expect(JSON.parse((await line('batches', 'get', batch.id, '-o', 'json')).output)).toEqual(batch);
  const listed = rowsOf((await line('batches', 'list', '-o', 'ndjson')).output);
  expect(listed.find(({ id }) => id === batch.id)).toMatchObject({ action: 'force', state: 'done', changed: 2 });
});

test('a batch whose syncs all fail ends with 1, one of which some fail with 6, and one that takes too long with 7', async () => {
  const create = (name: string, ...more: string[]) =>
    line('batches', 'create', 'force', '--type', 'cloud-a-sm', '--name', name, '--yes', '--wait', ...more);
  const name = await destinationWith(1);
  const tooLarge = await service.secret({ a: 'b'.repeat(70_000) });
  await service.set('cloud-a-sm', name, tooLarge);
  expect((await line('wait', `secret/${tooLarge}`)).code).toBe(1);
  const some = await create(name, '-o', 'json');
  expect([some.code, JSON.parse(some.output).counts]).toEqual([6, expect.objectContaining({ synced: 1, failed: 1 })]);
  service.fake('cloud-a-sm').fail({ kind: 'denied' });
  expect((await create(name)).code).toBe(1);
  expect((await create(name, '--timeout', '0s')).code).toBe(7);
});

test('one destination is paused until a time and resumed, and others go on', async () => {
  const name = await service.destination('cloud-a-sm');
  const at = `cloud-a-sm/${name}`;
  const until = '2999-01-31T08:00:00Z';
  const paused = await line('pause', at, '--until', until, '--yes', '-o', 'json');
  expect(JSON.parse(paused.output)).toEqual({ disabled: true, disabled_until: expect.stringContaining('2999-01-31') });
  const secret = await service.secret({ a: 'b' });
  await service.set('cloud-a-sm', name, secret);
  expect((await line('wait', `secret/${secret}`, '--timeout', '0s')).code).toBe(7);
  await destinationWith(1);
  expect(JSON.parse((await line('resume', at, '-o', 'json')).output)).toEqual({
    disabled: false,
    disabled_until: null,
  });
  expect((await line('wait', `secret/${secret}`)).code).toBe(0);
  expect((await line('pause', at)).code).toBe(2);
  expect((await line('pause', 'prod', '--yes')).code).toBe(2);
});

test('a prefix copies and removes all secrets below it, after their number was confirmed', async () => {
  const [name, folder] = [await service.destination('cloud-a-sm'), service.name('folder')];
  for (const path of ['a', 'b/c']) await service.secret({ v: path }, `${folder}/${path}`);
  const change = (verb: string, ...more: string[]) =>
    line(verb, `secret/${folder}/`, '--prefix', '--to', `cloud-a-sm/${name}`, '-o', 'json', ...more);
  const dry = await change('sync', '--dry-run');
  expect([dry.code, JSON.parse(dry.output)]).toEqual([
    0,
    { dry_run: true, total: 2, would_change: 2, new: 2, never_synced: 0 },
  ]);
  const question = `Copy 2 secrets to cloud-a-sm/${name}? Without a terminal`;
  expect(await change('sync')).toMatchObject({ code: 2, errors: expect.stringContaining(question) });
  const done = await change('sync', '--yes', '--wait');
  expect([done.code, JSON.parse(done.output)]).toEqual([0, expect.objectContaining({ state: 'done', changed: 2 })]);
  expect(JSON.parse((await change('unsync', '--dry-run')).output)).toMatchObject({ dry_run: true, total: 2 });
  expect((await change('unsync', '--yes', '--wait')).code).toBe(0);
  expect(rowsOf((await line('records', 'list', '--name', name, '-o', 'ndjson')).output)).toEqual([]);
});

test('a plan lists the changes, ends with 3 when there are some, and shows what another template would do', async () => {
  const name = await destinationWith(2);
  const at = ['plan', `cloud-a-sm/${name}`, '-o', 'ndjson'];
  expect(await line(...at)).toMatchObject({ code: 0, output: '' });
  const all = await line(...at, '--unchanged');
  expect([all.code, rowsOf(all.output).map(({ action }) => action)]).toEqual([0, ['leave', 'leave']]);
  const changed = await line(...at, '--template', `${name}-{{ .SecretBaseName }}`);
  expect([changed.code, rowsOf(changed.output).map(({ action }) => action)]).toEqual([
    3,
    ['create', 'delete', 'create', 'delete'],
  ]);
  const [{ secret }] = rowsOf(all.output);
  expect(rowsOf((await line(...at, '--unchanged', '--secret', secret)).output)).toHaveLength(1);
});

test('drift lists what was changed behind the sync, and repairs it', async () => {
  const name = await destinationWith(2);
  const fake = service.fake('cloud-a-sm');
  const at = ['drift', `cloud-a-sm/${name}`, '-o', 'ndjson'];
  expect(await line(...at)).toMatchObject({ code: 0, output: '' });
  const [{ external_name }] = rowsOf((await line('plan', `cloud-a-sm/${name}`, '--unchanged', '-o', 'ndjson')).output);
  fake.change(external_name, 'by hand');
  const found = await line(...at);
  expect([found.code, rowsOf(found.output)]).toEqual([
    3,
    [expect.objectContaining({ action: 'update', external_name, reason: 'changed-there' })],
  ]);
  const asked = await line(...at, '--repair');
  expect(asked).toMatchObject({ code: 2, errors: expect.stringContaining(`Repair 1 syncs to cloud-a-sm/${name}?`) });
  expect((await line(...at, '--repair', '--yes')).code).toBe(0);
  expect(await line(...at)).toMatchObject({ code: 0, output: '' });
  expect(fake.objects().get(external_name)?.value).toBe('{"a":"b"}');
});

test.each([
  [['batches', 'create', 'force'], '--all'],
  [['batches', 'create', 'erase', '--all'], 'replay, force, set or remove'],
  [['replay'], '--all'],
  [['sync', 'secret/app', '--to', 'cloud-a-sm/prod', '--dry-run'], '--prefix'],
  [['unsync', 'secret/app', '--to', 'cloud-a-sm/prod', '--dry-run'], '--prefix'],
  [['foreign', 'cloud-a-sm/prod', '--all', '--limit', '1'], '--limit or --all'],
])('%j is a wrong command line', async (argv, text) => {
  expect(await line(...argv)).toMatchObject({ code: 2, errors: expect.stringContaining(text) });
});

test('a plan is applied after a question, does what it says, and ends with 3 while it is only shown', async () => {
  const at = `cloud-a-sm/${await destinationWith(1)}`;
  expect((await line('plan', at)).code).toBe(0);
  expect(await line('plan', at, '--apply', '--yes')).toMatchObject({
    code: 0,
    errors: expect.stringContaining('There is nothing to apply'),
  });
  const [object] = rowsOf((await line('plan', at, '--unchanged', '-o', 'ndjson')).output);
  const fake = service.fake('cloud-a-sm');
  fake.change(object.external_name, 'by hand');
  expect((await line('plan', at)).code).toBe(3);
  const all = await line('plan', '--all', '--name', at.split('/')[1] ?? '', '-o', 'ndjson');
  expect([all.code, rowsOf(all.output)]).toMatchObject([3, [{ destination: at, action: 'update' }]]);
  expect(await line('plan', at, '--apply')).toMatchObject({
    code: 2,
    errors: expect.stringContaining('Apply this plan: 1 changes, in 1 syncs?'),
  });
  const done = await line('plan', '--all', '--name', at.split('/')[1] ?? '', '--apply', '--yes', '-o', 'json');
  expect([done.code, JSON.parse(done.output)]).toMatchObject([0, { action: 'apply', counts: { synced: 1 } }]);
  expect(done.errors).toContain(`update ${object.external_name} at ${at}`);
  expect((await line('plan', at)).code).toBe(0);
});

test('a plan of all destinations ends with 6 when one could not be looked at', async () => {
  const name = await destinationWith(1);
  service.fake('cloud-a-sm').fail({ kind: 'credentials' });
  expect((await line('plan', '--all', '--name', name)).code).toBe(6);
});

test.each([[['plan']], [['plan', 'cloud-a-sm/a', '--all']], [['plan', '--all', '--template', 'a']]])(
  '%j is refused',
  async (argv) => {
    expect((await line(...argv)).code).toBe(2);
  },
);
