import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { silentLog } from '#core/log/log.ts';
import type { OpenStore } from '#store/open.ts';
import { destinationResults, type Ended } from '#sync/claim/destination-results.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { keptLog } from '../../queue/queues.ts';
import { testStore } from '../../store/stores.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

async function destination(): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into destinations (type, name, connection, granularity, custom_tags, network, adopt, updated_at)
    values ('cloud-a-sm', gen_random_uuid()::text, '', 'secret-path', '{}', '{}', false, now())
    returning id::text as id`.execute(store.db);
  return rows[0]?.id ?? '';
}

const attempt = { outcome: 'synced', durationMs: 1, calls: 1, requestId: null } as const;
const success = (destinationId: string, calls = 1): Ended => ({
  destinationId,
  finish: { done: true, error: null, attempt: { ...attempt, calls } },
});
const failure = (destinationId: string, message: string, requestId: string | null = null): Ended => ({
  destinationId,
  finish: { done: false, error: { kind: 'timeout', message }, attempt: { ...attempt, outcome: 'retrying', requestId } },
});

interface Stored {
  readonly last_success_at: Date | null;
  readonly last_error_at: Date | null;
  readonly last_error: { readonly message: string } | null;
  readonly last_error_request_id: string | null;
  readonly done: number;
  readonly failed: number;
  readonly errors: Readonly<Record<string, number>>;
}

const stored = async (id: string): Promise<Stored | undefined> =>
  (await sql<Stored>`select * from destination_results where destination_id = ${id}::bigint`.execute(store.db)).rows[0];

test('a later success leaves the error, and a later error the success', async () => {
  const id = await destination();
  const { keep } = destinationResults(store, silentLog);
  await keep([failure(id, 'first', 'r-1')]);
  await keep([success(id)]);
  const first = await stored(id);
  expect(first).toMatchObject({ last_success_at: expect.any(Date), last_error: { message: 'first' } });
  expect(first?.last_error_request_id).toBe('r-1');
  await keep([failure(id, 'second')]);
  expect(await stored(id)).toMatchObject({
    last_success_at: first?.last_success_at,
    last_error: { kind: 'timeout', message: 'second' },
    last_error_request_id: null,
  });
});

test('of several attempts in a batch the last error counts, and a success beside it', async () => {
  const [one, other] = [await destination(), await destination()];
  await destinationResults(store, silentLog).keep([
    failure(other, 'a'),
    success(one),
    failure(one, 'b'),
    failure(one, 'c'),
  ]);
  expect(await stored(one)).toMatchObject({ last_success_at: expect.any(Date), last_error: { message: 'c' } });
  expect(await stored(other)).toMatchObject({ last_success_at: null, last_error: { message: 'a' } });
});

test('successes of a destination are stored once a second, errors always', async () => {
  const id = await destination();
  const clock = { ms: 0 };
  const { keep } = destinationResults(store, silentLog, () => clock.ms);
  await keep([success(id)]);
  const first = await stored(id);
  clock.ms = 999;
  await keep([success(id)]);
  expect((await stored(id))?.last_success_at).toEqual(first?.last_success_at);
  await keep([failure(id, 'at once')]);
  expect((await stored(id))?.last_error).toMatchObject({ message: 'at once' });
  clock.ms = 1_000;
  await keep([success(id)]);
  expect((await stored(id))?.last_success_at).not.toEqual(first?.last_success_at);
});

test('an attempt without a call is counted, but says nothing about the destination', async () => {
  const id = await destination();
  await destinationResults(store, silentLog).keep([success(id, 0)]);
  expect(await stored(id)).toMatchObject({ last_success_at: null, last_error: null, done: 1, failed: 0 });
});

test('every attempt is counted, also those that end within a second after a stored one', async () => {
  const id = await destination();
  const clock = { ms: 0 };
  const { keep, flush } = destinationResults(store, silentLog, () => clock.ms);
  await keep([success(id), success(id)]);
  await keep([success(id)]);
  expect(await stored(id)).toMatchObject({ done: 2 });
  await keep([failure(id, 'a'), success(id)]);
  expect(await stored(id)).toMatchObject({ done: 4, failed: 1, errors: { timeout: 1 } });
  await keep([success(id)]);
  expect(await stored(id)).toMatchObject({ done: 4 });
  await Promise.all([flush(), flush()]);
  expect(await stored(id)).toMatchObject({ done: 5, failed: 1 });
});

test('what waits is stored without a further attempt', async () => {
  const id = await destination();
  const { keep } = destinationResults(store, silentLog, () => 0);
  await keep([success(id)]);
  await keep([success(id)]);
  await eventually(async () => (await stored(id))?.done === 2);
});

test('errors are counted by kind', async () => {
  const id = await destination();
  const { keep } = destinationResults(store, silentLog);
  const denied: Ended = {
    destinationId: id,
    finish: { ...failure(id, '').finish, error: { kind: 'permission', message: '' } },
  };
  await keep([failure(id, 'a'), denied]);
  await keep([denied, denied]);
  expect(await stored(id)).toMatchObject({ failed: 4, errors: { timeout: 1, permission: 3 } });
});

test('a destination that was deleted meanwhile is left out, and its results go with it', async () => {
  const [gone, there] = [await destination(), await destination()];
  const { keep } = destinationResults(store, silentLog);
  await keep([success(gone)]);
  await sql`delete from destinations where id = ${gone}::bigint`.execute(store.db);
  expect(await stored(gone)).toBeUndefined();
  await keep([failure(gone, 'late'), failure(there, 'late')]);
  expect([await stored(gone), (await stored(there))?.last_error]).toEqual([
    undefined,
    { kind: 'timeout', message: 'late' },
  ]);
});

test('a result that cannot be stored is logged and fails nothing', async () => {
  const closed = await testStore();
  await closed.close();
  const log = keptLog();
  await destinationResults(closed, log).keep([failure('1', 'lost')]);
  expect(log.lines.map(({ message }) => message)).toEqual(['the last result of a destination could not be stored']);
});
