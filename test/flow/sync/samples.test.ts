import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { takeSample } from '#sync/samples/take.ts';
import { foldCounts } from '#sync/sweep/counts/fold.ts';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';

const type = 'cloud-b-kv';
const service = serviceOf([type], { KEYFERRY_SYNC_ATTEMPTS_MAX: '1' });

interface Numbers {
  readonly type?: string;
  readonly name?: string;
  readonly pending: number;
  readonly arrived: number | null;
  readonly done: number;
  readonly failed: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly queue?: object;
}

interface Samples {
  readonly version: string;
  readonly step: number;
  readonly points: readonly Numbers[];
  readonly types: readonly Numbers[];
  readonly destinations: readonly Numbers[];
}

async function read(query = '', headers: Readonly<Record<string, string>> = {}): Promise<Samples> {
  const { status, data, text } = await service.ask('GET', `sys/sync/samples${query}`, undefined, { headers });
  expect(status, text).toBe(200);
  return data as unknown as Samples;
}

const ofDestination = ({ destinations }: Samples, name: string) => destinations.find((one) => one.name === name);

/** Waits until so many attempts at each destination are counted, and takes a sample of them, the only one. */
async function sampleOf(destinations: readonly string[], attempts: number): Promise<void> {
  await eventually(async () => {
    const { rows } = await sql`
      select 1 from destination_results r join destinations d on d.id = r.destination_id
       where d.name = any(${destinations}::text[]) and r.done + r.failed >= ${attempts}::int`.execute(service.store.db);
    return rows.length === destinations.length;
  });
  await sample();
}

async function sample(): Promise<void> {
  for (const table of ['sync_sample_slots', 'sync_samples', 'sync_sample_spans', 'sync_sample_sums'])
    await sql`delete from ${sql.table(table)}`.execute(service.store.db);
  while ((await foldCounts(service.store)) > 0);
  await takeSample({ store: service.store, queue: { pendingCount: async () => 3 } }, 1_000_000);
}

test('the sweep takes a sample of each slot once', async () => {
  await service.sweep();
  const { points } = await read();
  expect(points.at(-1)).toMatchObject({ samples: 1, queue: { pending: 0, capacity: 1_000_000 } });
  await sql`delete from sync_sample_slots`.execute(service.store.db);
  await sql`insert into sync_sample_slots
            select to_timestamp(floor(extract(epoch from now()) / 10) * 10) + n * interval '10 s', 5, 5
              from generate_series(0, 60) n`.execute(service.store.db);
  await service.sweep();
  const { rows } = await sql`select 1 from sync_sample_slots where pending <> 5`.execute(service.store.db);
  expect(rows).toEqual([]);
  await sql`delete from sync_sample_slots`.execute(service.store.db);
});

test('attempts at a destination and their errors are in the next sample', async () => {
  const destination = await service.destination(type);
  await service.set(type, destination, await service.secret({ v: '1' }));
  service.fake(type).fail({ kind: 'denied', times: 100 });
  await service.set(type, destination, await service.secret({ v: '2' }));
  service.fake(type).heal();
  await sampleOf([destination], 2);
  const samples = await read();
  expect(samples.step).toBe(10);
  expect(ofDestination(samples, destination)).toMatchObject({
    type,
    arrived: 2,
    done: 1,
    failed: 1,
    errors: { permission: 1 },
  });
  expect(samples.types).toEqual([expect.objectContaining({ type, arrived: 2, done: 1, failed: 1 })]);
  expect(samples.points.at(-1)).toMatchObject({ arrived: 2, done: 1, failed: 1, errors: { permission: 1 } });
  expect(samples.points.at(-1)).toMatchObject({ queue: { pending: expect.any(Number), capacity: 1_000_000 } });
  expect((await read(`?name=${destination}&type=${type}`)).destinations).toHaveLength(1);
});

test('a reply has its version as an entity tag', async () => {
  await sample();
  const range = '?from=2030-01-01T00:00:00Z&to=2030-01-01T01:00:00Z';
  const { version } = await read(range);
  const answer = await fetch(`${service.address}/v1/sys/sync/samples${range}`, {
    headers: { 'x-vault-token': service.rootToken, 'if-none-match': `"${version}"` },
  });
  expect([answer.status, await answer.text()]).toEqual([304, '']);
});

test('destinations whose associations the caller may not read, and those of other namespaces, are not counted', async () => {
  const [open, closed] = [await service.destination(type), await service.destination(type)];
  for (const one of [open, closed]) await service.set(type, one, await service.secret({ v: '1' }));
  await sampleOf([open, closed], 1);
  const mine = await read();
  expect([open, closed].map((one) => ofDestination(mine, one)?.done)).toEqual([1, 1]);
  // As a sample of an earlier release has destinations that it does not name.
  await sql`insert into sync_samples select namespace_id, slot, type, '', 0, null, 1000, 0, '{}' from sync_samples limit 1`.execute(
    service.store.db,
  );
  await sql`update sync_sample_slots set summed = false`.execute(service.store.db);
  const tokenWith = async (path: string) => {
    const policy = service.name('reader');
    await service.api.write(`sys/policies/acl/${policy}`, {
      policy: `path "sys/sync/samples" { capabilities = ["read"] } path "${path}" { capabilities = ["read"] }`,
    });
    const { body } = await service.ask('POST', 'auth/token/create', { policies: [policy] });
    return { 'x-service-token': (body['auth'] as { readonly client_token: string }).client_token };
  };
  const one = await read('', await tokenWith(`sys/sync/destinations/${type}/${open}/associations`));
  expect([one.destinations.map(({ name }) => name), one.types[0]?.done]).toEqual([[open], 1]);
  const all = await read('', await tokenWith(`sys/sync/destinations/${type}/+/associations`));
  expect([ofDestination(all, closed)?.done, (all.types[0]?.done ?? 0) > 1_000]).toEqual([1, true]);
  const namespace = service.name('team');
  await service.api.write(`sys/namespaces/${namespace}`, {});
  const elsewhere = await read('', { 'x-service-namespace': namespace });
  expect([elsewhere.destinations, elsewhere.types, elsewhere.points.at(-1)?.queue]).toEqual([[], [], undefined]);
});

test.each([
  ['?step=5', ['step']],
  ['?step=15', ['step']],
  ['?from=-24h&step=10', ['step']],
  ['?from=soon&to=later', ['from', 'to']],
  ['?type=none', ['type']],
])('%s is refused', async (query, fields) => {
  const { status, body } = await service.ask('GET', `sys/sync/samples${query}`);
  const problems = (body['problems'] ?? []) as readonly { readonly field: string }[];
  expect([status, problems.map(({ field }) => field)]).toEqual([400, fields]);
});
