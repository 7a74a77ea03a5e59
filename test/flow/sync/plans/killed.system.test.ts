import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type InFlightProxy, startInFlightProxy } from '#test/support/flow/calls/in-flight.ts';
import { groundOf, type, until } from '#test/support/flow/ground.ts';
import type { Started } from '#test/support/flow/processes.ts';
import type { PlannedPage, Shown } from './planned.ts';

/** On a busy machine a look takes longer than the time that other tests of faults give it. */
const ground = groundOf({
  settings: {
    KEYFERRY_SYNC_CONNECT_MS_MAX: '4000',
    KEYFERRY_SYNC_REQUEST_MS_MAX: '4000',
    KEYFERRY_SYNC_OPERATION_MS_MAX: '6000',
    KEYFERRY_SYNC_LOCK_MS: '12000',
  },
});
let inFlight: InFlightProxy;
let api: Started;
let worker: Started;
let sweep: Started;
beforeAll(async () => {
  inFlight = await startInFlightProxy(ground.fake);
  [api, worker, sweep] = await Promise.all([ground.start('serve'), ground.start('worker'), ground.start('sweep')]);
});
afterAll(() => inFlight.close());

const dataOf = async <T>(method: string, path: string, body?: object): Promise<T> => {
  const { status, data, text } = await ground.ask(api, method, path, body);
  expect(status, text).toBeLessThan(300);
  return data as T;
};
const value = (object: string) => ground.fake.objects().get(object)?.value;
const planned = ['a', 'b', 'c', 'd'];
const unplanned = ['x', 'y'];

/** Secrets in line, whose copies were then changed by hand, and a kept plan for some of them. Returns its id. */
async function kept(name: string): Promise<string> {
  const at = `sys/sync/destinations/${type}/${name}`;
  await ground.destination(api, name, {
    ...inFlight.destination,
    secret_name_template: `${name}-{{ .SecretBaseName }}`,
  });
  for (const base of [...planned, ...unplanned]) {
    const secret_name = `${name}/${planned.includes(base) ? 'in' : 'out'}/${base}`;
    await ground.client(api).write(`secret/data/${secret_name}`, { data: { v: base } });
    await ground.client(api).write(`${at}/associations/set`, { mount: 'secret', secret_name });
  }
  await ground.untilQuiet();
  for (const base of [...planned, ...unplanned]) ground.fake.change(`${name}-${base}`, 'by hand');
  let page: PlannedPage | undefined;
  await until(
    async () => {
      page = await dataOf<PlannedPage>('POST', 'sys/sync/plan', { keep: true, prefix: `${name}/in/` });
      return page.counts['update'] === planned.length;
    },
    () => JSON.stringify(page?.objects),
  );
  return page?.plan_id ?? '';
}

const planOf = (id: string) =>
  dataOf<{ readonly applied_at: string | null; readonly batch: string | null }>('GET', `sys/sync/plans/${id}`);

/** Waits until the batch has ended; the sweep of another process works on it. */
async function ended(batch: string): Promise<Shown> {
  let shown: Shown | undefined;
  await until(
    async () => {
      shown = await dataOf<Shown>('GET', `sys/sync/batches/${batch}`);
      return shown.state !== 'running' && shown.state !== 'settling';
    },
    () => JSON.stringify(shown),
  );
  return shown as Shown;
}

/** All that was planned is done, and nothing else. */
function expectDone(name: string, { state, total, counts }: Shown): void {
  expect({ state, total, counts }).toMatchObject({
    state: 'done',
    total: planned.length,
    counts: { synced: planned.length, failed: 0 },
  });
  expect(planned.map((base) => value(`${name}-${base}`))).toEqual(planned.map((v) => JSON.stringify({ v })));
  expect(unplanned.map((base) => value(`${name}-${base}`))).toEqual(unplanned.map(() => 'by hand'));
}

describe('the apply of a plan', () => {
  test('does nothing when its API is killed before it has committed, and can be applied then', async () => {
    const id = await kept('early');
    const holder = new pg.Client({ connectionString: ground.environment['DATABASE_URL'] });
    await holder.connect();
    await holder.query('begin; lock table sync_batch_items in share mode');
    const asked = ground.ask(api, 'POST', `sys/sync/plans/${id}/apply`, {});
    const refused = expect(asked).rejects.toThrow();
    const waiting = `select 1 from pg_locks where relation = 'sync_batch_items'::regclass and not granted`;
    await until(async () => (await ground.query(waiting)).length > 0);
    await api.end('SIGKILL');
    await refused;
    await holder.query('rollback');
    await holder.end();
    api = await ground.start('serve');
    expect(await planOf(id)).toMatchObject({ applied_at: null, batch: null });
    expect(planned.map((base) => value(`early-${base}`))).toEqual(planned.map(() => 'by hand'));
    const { id: batch } = await dataOf<{ id: string }>('POST', `sys/sync/plans/${id}/apply`, {});
    expect(await planOf(id)).toMatchObject({ applied_at: expect.any(String), batch });
    expectDone('early', await ended(batch));
  });

  test('is done when its API is killed after it has committed', async () => {
    const id = await kept('late');
    const { id: batch } = await dataOf<{ id: string }>('POST', `sys/sync/plans/${id}/apply`, {});
    await api.end('SIGKILL');
    api = await ground.start('serve');
    expect(await planOf(id)).toMatchObject({ applied_at: expect.any(String), batch });
    expectDone('late', await ended(batch));
  });

  test('goes on where a killed worker and a killed sweep have left it', async () => {
    const id = await kept('worker');
    const there = inFlight.swallow('PutSecretValue');
    const { id: batch } = await dataOf<{ id: string }>('POST', `sys/sync/plans/${id}/apply`, {});
    // One copy is written, but the worker has no answer, and others may be in flight.
    await there;
    await Promise.all([worker.end('SIGKILL'), sweep.end('SIGKILL')]);
    expect(await planOf(id)).toMatchObject({ applied_at: expect.any(String), batch });
    [worker, sweep] = await Promise.all([ground.start('worker'), ground.start('sweep')]);
    expectDone('worker', await ended(batch));
    expect((await ground.ask(api, 'POST', `sys/sync/plans/${id}/apply`, {})).status).toBe(409);
  });
});
