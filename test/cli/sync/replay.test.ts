import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { printedRows, syncLines } from '#test/support/cli/syncs.ts';
import { serviceOf } from '#test/support/flow/open-service.ts';

const service = serviceOf(['cloud-a-sm']);
const { line, destinationWith, destinationWithFailed } = syncLines(service);

const toOne = (name: string) => ['--type', 'cloud-a-sm', '--name', name];

test('a replay counts first, asks, and tells the outcomes', async () => {
  const filter = toOne(await destinationWithFailed(2));
  const dry = await line('replay', ...filter, '--dry-run', '-o', 'ndjson');
  expect(printedRows(dry.output)).toEqual([
    { destination: `cloud-a-sm/${filter[3]}`, status: 'CLIENT_SIDE_ERROR', count: 2 },
  ]);
  const asked = await line('replay', ...filter);
  expect(asked).toMatchObject({ code: 2, errors: expect.stringContaining('Replay 2 syncs? Without a terminal') });
  expect(printedRows((await line('records', 'list', ...filter, '-o', 'ndjson')).output)).toEqual(
    [0, 1].map(() => expect.objectContaining({ status: 'CLIENT_SIDE_ERROR' })),
  );
  const done = await line('replay', ...filter, '--rate', '100', '--yes', '--wait', '-o', 'json');
  expect([done.code, JSON.parse(done.output)]).toMatchObject([
    0,
    { action: 'replay', state: 'done', rate: 100, changed: 2, counts: { synced: 2, failed: 0 } },
  ]);
});

test('a replay of which some fail ends with 6, and without --wait it says where the outcome is', async () => {
  const name = await destinationWithFailed(1);
  const tooLarge = await service.secret({ a: 'b'.repeat(70_000) });
  await service.set('cloud-a-sm', name, tooLarge);
  const replayed = await line('replay', ...toOne(name), '--yes', '--wait', '-o', 'json');
  expect([replayed.code, JSON.parse(replayed.output).counts]).toEqual([
    6,
    expect.objectContaining({ synced: 1, failed: 1 }),
  ]);
  const started = await line('replay', ...toOne(name), '--yes', '-o', 'json');
  expect(started.code).toBe(0);
  expect(started.errors).toContain(`keyferry batches get ${JSON.parse(started.output).id}`);
});

test('a replay is narrowed by kind, mount, prefix, secret, age and limit', async () => {
  const name = await destinationWithFailed(2);
  const [{ secret }] = printedRows((await line('records', 'list', ...toOne(name), '-o', 'ndjson')).output);
  const path = secret.replace('secret/', '');
  const counted = async (...more: string[]) => {
    const { output } = await line('replay', ...toOne(name), '--dry-run', '-o', 'ndjson', ...more);
    return printedRows(output).reduce((sum, { count }) => sum + count, 0);
  };
  expect(await counted('--kind', 'permission')).toBe(2);
  expect(await counted('--kind', 'timeout')).toBe(0);
  expect(await counted('--mount', 'secret', '--prefix', path)).toBe(1);
  expect(await counted('--secret', path)).toBe(1);
  expect(await counted('--older-than', '1h')).toBe(0);
  const asked = await line('replay', ...toOne(name), '--limit', '1');
  expect(asked.errors).toContain('Replay 1 syncs?');
});

test('a replay by drift or unconfirmed writes also selects what reads SYNCED', async () => {
  const name = await destinationWith(2);
  const of = async (...more: string[]) =>
    printedRows((await line('replay', ...toOne(name), '--dry-run', '-o', 'ndjson', ...more)).output);
  expect(await of()).toEqual([]);
  await sql`update associations a set drift = 'changed', drift_at = now(), unconfirmed_at = now()
             where id = (select min(a.id) from associations a join destinations d on d.id = a.destination_id where d.name = ${name})`.execute(
    service.store.db,
  );
  const one = [{ destination: `cloud-a-sm/${name}`, status: 'SYNCED', count: 1 }];
  expect(await of('--drift', 'any')).toEqual(one);
  expect(await of('--unconfirmed')).toEqual(one);
  expect(await of('--drift', 'any', '--status', 'PENDING')).toEqual([]);
  const listed = await line('records', 'list', ...toOne(name), '--unconfirmed', '-o', 'ndjson');
  expect(printedRows(listed.output)).toHaveLength(1);
});

test('a repair asks with the number of syncs that it changes, and names objects of other clients', async () => {
  const name = await destinationWith(3);
  const fake = service.fake('cloud-a-sm');
  const at = `cloud-a-sm/${name}`;
  const planned = await line('plan', at, '--unchanged', '-o', 'ndjson');
  const [changed, taken] = printedRows(planned.output).map(({ external_name }) => external_name);
  fake.change(changed, 'by hand');
  fake.seed(taken, 'of another client');
  expect((await line('drift', at, '--repair')).errors).toContain(`Repair 1 syncs to ${at}?`);
  const repaired = await line('drift', at, '--repair', '--yes', '-o', 'json');
  expect(repaired.errors).toContain(`${taken} is an object of another client`);
  expect([repaired.code, JSON.parse(repaired.output)]).toMatchObject([3, { changed: 1, counts: { synced: 1 } }]);
  expect(fake.objects().get(taken)?.value).toBe('of another client');
});
