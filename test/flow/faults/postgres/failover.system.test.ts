import { afterAll, expect, test } from 'vitest';
import { eventually, serviceOf } from '#test/support/flow/open-service.ts';
import { patience } from '#test/support/measures/patience.ts';
import { newServer, type OwnServer } from '#test/support/postgres/own-server.ts';
import { promote, standbyOf, synchronous, urlOfBoth } from '#test/support/postgres/standby.ts';

const type = 'cloud-a-sm';

// Both servers keep their ports, whichever is the primary.
const first: OwnServer = await newServer();
await first.start();
const second = await standbyOf(first);
await first.query(`alter system set synchronous_standby_names = '${synchronous.synchronous_standby_names}'`);
await first.query('select pg_reload_conf()');

const service = serviceOf([type], {
  DATABASE_URL: urlOfBoth(first, second),
  KEYFERRY_DATABASE_CONNECT_MS_MAX: '4000',
  KEYFERRY_SYNC_ATTEMPTS_MAX: '50',
  KEYFERRY_SYNC_RECHECK_MS: '2000',
  KEYFERRY_SYNC_CONNECT_MS_MAX: '2000',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '2000',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '4000',
  KEYFERRY_SYNC_LOCK_MS: '8000',
});
afterAll(() => Promise.all([first, second].map((one) => one.remove())));

const copyOf = (secret: string): string | undefined =>
  [...service.fake(type).objects()].find(([name]) => name.endsWith(secret))?.[1].value;
const numberIn = (value: string | undefined): number => (value === undefined ? 0 : Number(JSON.parse(value).n));

const storedOf = async (secret: string) =>
  (await service.ask('GET', `secret/data/${secret}`)).data['data'] as Readonly<Record<string, unknown>>;

/** Writes ascending numbers until it is stopped; reports the last acknowledged one and the answers to the others. */
function writer(secret: string, isRunning: () => boolean) {
  const answers = new Set<string>();
  let acknowledged = 0;
  const running = (async () => {
    for (let n = 1; isRunning(); n += 1) {
      const answer = await fetch(`${service.address}/v1/secret/data/${secret}`, {
        method: 'POST',
        headers: { 'x-service-token': service.rootToken },
        body: JSON.stringify({ data: { n } }),
        signal: AbortSignal.timeout(patience.conditionMs),
      });
      await answer.arrayBuffer();
      if (answer.status === 200) acknowledged = n;
      else answers.add(`${answer.status} ${answer.headers.has('retry-after') ? 'with' : 'without'} Retry-After`);
    }
  })();
  return { answers, running, acknowledged: () => acknowledged };
}

test('killing the primary under load loses no acknowledged write, and no copy goes back to an older value', async () => {
  const destination = await service.destination(type);
  const secrets = Array.from({ length: 8 }, (_, index) => `load-${index}`);
  for (const secret of secrets) {
    await service.secret({ n: 0 }, secret);
    await service.set(type, destination, secret);
  }
  let isRunning = true;
  const writers = new Map(secrets.map((secret) => [secret, writer(secret, () => isRunning)] as const));
  const pushedAtMost = () => Math.max(...secrets.map((secret) => numberIn(copyOf(secret))));
  await eventually(() => pushedAtMost() > 3);

  const newest = new Map<string, number>();
  const backwards: string[] = [];
  const watching = setInterval(() => {
    for (const secret of secrets) {
      const n = numberIn(copyOf(secret));
      if (n < (newest.get(secret) ?? 0)) backwards.push(`${secret}: ${n} after ${newest.get(secret)}`);
      newest.set(secret, Math.max(n, newest.get(secret) ?? 0));
    }
  }, 2);
  await first.kill();
  await eventually(() => [...writers.values()].every(({ answers }) => answers.size > 0));
  await promote(second);
  const before = new Map([...writers].map(([secret, one]) => [secret, one.acknowledged()] as const));
  await eventually(() => [...writers].every(([secret, one]) => one.acknowledged() > (before.get(secret) ?? 0)));
  isRunning = false;
  await Promise.all([...writers.values()].map(({ running }) => running));
  await service.sweep();
  await service.untilQuiet();
  clearInterval(watching);

  expect(backwards).toEqual([]);
  for (const [secret, { answers, acknowledged }] of writers) {
    const n = Number((await storedOf(secret))['n']);
    expect(n, secret).toBeGreaterThanOrEqual(acknowledged());
    expect(numberIn(copyOf(secret)), secret).toBe(n);
    expect([...answers]).toEqual(['503 with Retry-After']);
  }
});

test('changes that an asynchronous standby never received are reverted at the copies, which match the store again', async () => {
  // The roles are swapped now: the former primary returns as a standby that misses the last changes.
  await first.remove();
  const standby = await standbyOf(second, first.port);
  const destination = await service.destination(type);
  const keep = async (secret: string, data: object) => {
    await service.secret(data, secret);
    await service.set(type, destination, secret);
  };
  await keep('forgotten-write', { v: 'one' });
  await keep('forgotten-removal', { v: 'kept' });
  await keep('untouched', { v: 'same' });
  await service.untilQuiet();
  await eventually(async () => {
    const [row] = await second.query(
      'select bool_and(replay_lsn >= pg_current_wal_lsn()) as through from pg_stat_replication',
    );
    return row?.['through'] === true;
  });
  await standby.stop();
  await service.secret({ v: 'two' }, 'forgotten-write');
  await service.remove(type, destination, 'forgotten-removal');
  await eventually(() => copyOf('forgotten-write') === '{"v":"two"}' && copyOf('forgotten-removal') === undefined);
  await keep('forgotten-association', { v: 'lost' });
  await eventually(() => copyOf('forgotten-association') === '{"v":"lost"}');
  await second.kill();
  await standby.start();
  await promote(standby);
  await eventually(async () => (await service.ask('GET', 'secret/data/forgotten-write')).status === 200);
  expect(await storedOf('forgotten-write')).toEqual({ v: 'one' });

  await service.sweep();
  const statuses = async () => (await service.associations(type, destination)).map(({ sync_status: status }) => status);
  await service.untilQuiet();
  await eventually(() => copyOf('forgotten-write') === '{"v":"one"}');
  expect(copyOf('forgotten-removal')).toBe('{"v":"kept"}');
  expect(copyOf('untouched')).toBe('{"v":"same"}');
  expect(await statuses()).toEqual(['SYNCED', 'SYNCED', 'SYNCED']);

  // A lost association leaves its copy behind: it is no longer ours, and the next association of its name reports a conflict.
  await service.secret({ v: 'again' }, 'forgotten-association');
  const [again] = await service.set(type, destination, 'forgotten-association');
  expect(again?.sync_status).toMatch(/^(?:SYNCED|CLIENT_SIDE_ERROR)$/);
  await standby.remove();
});
