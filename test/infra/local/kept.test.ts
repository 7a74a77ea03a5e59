import { expect, test } from 'vitest';
import { keepRunning, waitBefore } from '#infra/local/kept.ts';
import type { LocalServer } from '#infra/local/server.ts';

/** A server that exits when the test tells it to. Starts are counted. */
function servers() {
  const started: { readonly port: number | undefined; readonly die: (how: string) => void; stopped: boolean }[] = [];
  const start = async (port: number | undefined): Promise<LocalServer> => {
    const ended = Promise.withResolvers<string>();
    const one = { port, die: ended.resolve, stopped: false };
    started.push(one);
    const stop = async () => {
      one.stopped = true;
      ended.resolve('stopped');
    };
    return { url: 'url', port: 4_711, pid: 1, ended: ended.promise, stop, kill: stop };
  };
  return { started, start };
}

const limits = { startsMax: 2, withinMs: 60_000, waitMs: 1 };

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}

test('a server that exits is started again on its port, and the last one is stopped', async () => {
  const { started, start } = servers();
  const reports: string[] = [];
  const kept = await keepRunning({ name: 'It', start, report: (text) => reports.push(text), limits });
  started[0]?.die('signal SIGKILL');
  await until(() => started.length === 2);
  expect(started.map(({ port }) => port)).toEqual([undefined, 4_711]);
  expect(reports).toEqual(['It is started again: it ended by itself (signal SIGKILL)']);
  await kept.stop();
  expect(started.map(({ stopped }) => stopped)).toEqual([false, true]);
});

test('a server that keeps exiting is given up, with the reason', async () => {
  const { started, start } = servers();
  const kept = await keepRunning({ name: 'It', start, report: () => {}, limits });
  for (const [index, how] of ['code 1', 'code 2', 'code 3'].entries()) {
    await until(() => started.length === index + 1);
    started[index]?.die(how);
  }
  expect((await kept.failed).message).toBe('It does not stay up, started 2 times anew: it ended by itself (code 3)');
  expect(started).toHaveLength(3);
  await kept.stop();
});

test('a server that can no longer be started is given up, with the reason', async () => {
  const { started, start } = servers();
  let taken = false;
  const startWhileFree = async (port: number | undefined) => {
    if (taken) throw new Error('the port is taken');
    return start(port);
  };
  const kept = await keepRunning({ name: 'It', start: startWhileFree, report: () => {}, limits });
  taken = true;
  started[0]?.die('code 1');
  expect((await kept.failed).message).toContain('it could not be started: the port is taken');
});

test('a server that is being stopped is not started again', async () => {
  const { started, start } = servers();
  const kept = await keepRunning({ name: 'It', start, report: () => {}, limits: { ...limits, waitMs: 60_000 } });
  started[0]?.die('code 1');
  await kept.stop();
  expect(started).toHaveLength(1);
});

test('the wait before a restart doubles, and old restarts do not count', () => {
  const minute = { startsMax: 3, withinMs: 60_000, waitMs: 250 };
  expect(waitBefore([], 0, minute)).toBe(250);
  expect(waitBefore([10, 20], 30, minute)).toBe(1_000);
  expect(waitBefore([10, 20, 30], 40, minute)).toBeUndefined();
  expect(waitBefore([10, 20, 30], 60_025, minute)).toBe(500);
});
