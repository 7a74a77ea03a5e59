import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import type { OpenStore } from '#store/open.ts';
import { type Intents, intends, withdraw } from '#sync/claim/intents.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
let destinations: readonly string[] = [];
beforeAll(async () => {
  store = await testStore();
  const { rows } = await sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    select 'cloud-a-sm', 'x' || n, '', 'secret-key', '{}', '{}', false, now() from generate_series(1, 2) n
    returning id::text as id`.execute(store.db);
  destinations = rows.map(({ id }) => id);
  return () => store.close();
});

async function newAssociation(destinationId: string, secretName: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                              adopt, desired, status, records, updated_at)
    values (${destinationId}::bigint, 'cloud-a-sm', gen_random_uuid(), 'secret/', 'kv_1', ${secretName}, 'secret-key', 't',
            false, 'present', 'PENDING', '[]', now())
    returning id::text as id`.execute(store.db);
  return rows[0]?.id ?? '';
}

const wanting = (associationId: string, destinationId: string, names: readonly string[]): Intents => ({
  associationId,
  destinationId,
  names: names.map((name) => ({
    subKey: name,
    name,
    nameKey: name,
    mark: `m-${associationId}-${name}`,
    tagKeys: ['a'],
  })),
});

test('one of two concurrent associations gets a name, and the other learns which secret has it', async () => {
  const [first = '', second = ''] = destinations;
  const [one, other, elsewhere] = [
    await newAssociation(first, 'app/one'),
    await newAssociation(first, 'app/other'),
    await newAssociation(second, 'app/one'),
  ];
  const intend = intends(store);
  const answers = await Promise.all([
    intend(wanting(one, first, ['shared', 'own-1'])),
    intend(wanting(other, first, ['own-2', 'shared'])),
    intend(wanting(elsewhere, second, ['shared'])),
  ]);
  expect(answers.map((answer) => answer.get('shared')?.takenBy)).toEqual([null, 'secret/app/one', null]);
  expect(answers[0]?.get('own-1')?.takenBy).toBeNull();
  expect(answers[1]?.get('own-2')?.takenBy).toBeNull();
});

test('a deleted association fails without affecting concurrent ones', async () => {
  const [first = ''] = destinations;
  const id = await newAssociation(first, 'app/beside');
  const intend = intends(store);
  const [gone, answer] = await Promise.allSettled([
    intend(wanting('987654321', first, ['gone'])),
    intend(wanting(id, first, ['beside'])),
  ]);
  expect(gone.status).toBe('rejected');
  expect(answer.status === 'fulfilled' && answer.value.get('beside')?.takenBy).toBeNull();
});

test('an intent that is recorded again keeps its time', async () => {
  const [first = ''] = destinations;
  const id = await newAssociation(first, 'app/again');
  const intend = intends(store);
  const before = await intend(wanting(id, first, ['again']));
  const after = await intend(wanting(id, first, ['again']));
  expect(after.get('again')).toEqual(before.get('again'));
});

test('names are withdrawn under the claim that recorded them, and stay under a lost one', async () => {
  const [first = ''] = destinations;
  const id = await newAssociation(first, 'app/withdrawn');
  await intends(store)(wanting(id, first, ['withdrawn', 'kept']));
  await sql`update associations set claimed_by = 'now' where id = ${id}::bigint`.execute(store.db);
  const noted = async () => {
    const { rows } = await sql<{ name: string }>`
      select external_name as name from sync_objects where association_id = ${id}::bigint order by 1`.execute(store.db);
    return rows.map(({ name }) => name);
  };
  await withdraw(store, id, 'before', ['withdrawn']);
  expect(await noted()).toEqual(['kept', 'withdrawn']);
  await withdraw(store, id, 'now', ['withdrawn']);
  expect(await noted()).toEqual(['kept']);
});

test('many processes that want the same names in different orders do not deadlock', async () => {
  const [first = ''] = destinations;
  const names = Array.from({ length: 40 }, (_, index) => `many-${index}`);
  const ids = await Promise.all(Array.from({ length: 12 }, (_, index) => newAssociation(first, `app/many-${index}`)));
  const answers = await Promise.all(
    ids.map((id, index) => intends(store)(wanting(id, first, index % 2 === 0 ? names : names.toReversed()))),
  );
  for (const name of names) {
    const holders = answers.filter((answer) => answer.get(name)?.takenBy === null);
    expect(holders).toHaveLength(1);
  }
});
