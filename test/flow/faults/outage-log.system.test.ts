import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { groundOf, type, until } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';

const ground = groundOf({
  ownPostgres: true,
  settings: { KEYFERRY_DATABASE_CONNECT_MS_MAX: '1000', KEYFERRY_LOG_LEVEL: 'info' },
});
let processes: Readonly<Record<'api' | 'worker' | 'sweep', Started>>;
beforeAll(async () => {
  const [api, worker, sweep] = await Promise.all([
    ground.start('serve'),
    ground.start('worker'),
    ground.start('sweep'),
  ]);
  processes = { api, worker, sweep };
});

test('while PostgreSQL is down, each process logs at most one line a second under any load', async () => {
  const { api } = processes;
  await ground.destination(api, 'busy');
  const names = Array.from({ length: 40 }, (_, index) => `busy-${index}`);
  for (const name of names) {
    await ground.client(api).write(`secret/data/${name}`, { data: { v: 'first' } });
    await ground.client(api).write(set, { mount: 'secret', secret_name: name });
  }
  // All are pending when the database stops, so that all of them would log it repeatedly.
  ground.fake.fail({ kind: 'hang' });
  await Promise.all(names.map((name) => ground.client(api).write(`secret/data/${name}`, { data: { v: 'second' } })));
  await until(async () => (await claimed()) > 0);
  const before = Object.values(processes).map(({ err }) => err.length);
  await ground.postgres.kill();
  onTestFinished(() => ground.postgres.start());
  const load = new AbortController();
  const asked = Array.from({ length: 10 }, () => requestUntil(load.signal));
  const linesOf = ({ err }: Started, index: number) => err.slice(before[index]);
  await until(() => linesOf(processes.worker, 1).filter((line) => line.includes('"suppressed":')).length > 1);
  load.abort();
  await Promise.all(asked);
  for (const [index, one] of Object.values(processes).entries()) {
    const times = linesOf(one, index).map((line) => Number(JSON.parse(line).time));
    expect(times.filter((time, at) => time - (times[at - 1] ?? 0) < distanceMsMin)).toEqual([]);
  }
});

const set = `sys/sync/destinations/${type}/busy/associations/set`;

/** The number of associations that a worker has in flight. */
async function claimed(): Promise<number> {
  const text = 'select count(*)::int as n from associations where claimed_until > now()';
  return (await ground.query<{ n: number }>(text))[0]?.n ?? 0;
}

/** A second, minus the tolerance for an early timer and a late line. */
const distanceMsMin = 950;

async function requestUntil(end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    const { status } = await ground.ask(processes.api, 'GET', 'secret/data/busy-1');
    expect(status).toBe(503);
  }
}
