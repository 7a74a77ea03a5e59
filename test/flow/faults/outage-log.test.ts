import { beforeAll, expect, test } from 'vitest';
import { groundOf, type, until } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';

const ground = groundOf({
  ownPostgres: true,
  settings: { KEYFERRY_DATABASE_CONNECT_MS_MAX: '1000', KEYFERRY_LOG_LEVEL: 'info' },
});
let processes: Readonly<Record<'api' | 'worker' | 'sweep' | 'board', Started>>;
beforeAll(async () => {
  const [api, worker, sweep, board] = await Promise.all([
    ground.start('serve'),
    ground.start('worker'),
    ground.start('sweep'),
    ground.start('board', { KEYFERRY_BOARD_PORT: '0' }),
  ]);
  processes = { api, worker, sweep, board };
});

test('while PostgreSQL is away each process logs one line a second at most, however much it is asked', async () => {
  const { api } = processes;
  await ground.destination(api, 'busy');
  for (let index = 0; index < 60; index += 1) {
    await ground.client(api).write(`secret/data/${index}`, { data: { v: 'first' } });
    await ground
      .client(api)
      .write(`sys/sync/destinations/${type}/busy/associations/set`, { mount: 'secret', secret_name: String(index) });
  }
  ground.fake.fail({ kind: 'hang' });
  await until(() => ground.fake.calls().size > 0);
  const before = Object.values(processes).map(({ err }) => err.length);
  await ground.postgres.kill();
  const asking = new AbortController();
  const asked = Array.from({ length: 10 }, () => askUntil(asking.signal));
  // As long as each process needs to have seen the outage for a few seconds.
  await until(() => processes.worker.err.length >= (before[1] ?? 0) + 4);
  asking.abort();
  expect((await Promise.all(asked)).reduce((sum, count) => sum + count)).toBeGreaterThan(20);
  for (const [index, { err }] of Object.values(processes).entries()) {
    const times = err.slice(before[index]).map((line) => Number(JSON.parse(line).time));
    expect(times.length).toBeGreaterThan(0);
    expect(times.filter((time, at) => time - (times[at - 1] ?? 0) < closest)).toEqual([]);
  }
  expect(processes.worker.err.slice(before[1]).some((line) => line.includes('"suppressed":'))).toBe(true);
});

/** A second, less what a timer may come early and a line late. */
const closest = 950;

/** Answers how many requests were answered. */
async function askUntil(end: AbortSignal): Promise<number> {
  let count = 0;
  while (!end.aborted) {
    const { status } = await ground.ask(processes.api, 'GET', 'secret/data/1');
    expect(status).toBe(503);
    count += 1;
  }
  return count;
}
