import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { runningProcess } from '#infra/local/running.ts';
import { until } from '#test/support/flow/ground.ts';
import { descendants, isRunning, type Started, startProgram } from '#test/support/flow/processes.ts';
import { ending } from '#test/support/services.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const rootToken = 'a-root-token-of-my-own';
const type = 'cloud-a-sm';
let folder: string;
let dev: Started;
let client: ApiClient;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-dev-servers-'));
  const environment = {
    KEYFERRY_DATA_DIR: join(folder, 'data'),
    KEYFERRY_DEV_ROOT_TOKEN: rootToken,
    KEYFERRY_SHUTDOWN_MS_MAX: '500',
    KEYFERRY_DEV_AGENT: 'off',
    PORT: '0',
  };
  dev = await startProgram('dev', { environment });
  client = new ApiClient(dev.ready, rootToken);
});
afterAll(async () => {
  await dev.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The process id of a server that the instance itself has started. */
const serverOf = (name: 'postgres' | 'redis'): number | undefined =>
  descendants(dev.pid).find((pid) => {
    const { parent, command = '' } = runningProcess(pid) ?? {};
    return parent === dev.pid && command.includes(name);
  });

/** Sends SIGKILL if the server runs. */
function kill(name: 'postgres' | 'redis'): void {
  try {
    process.kill(serverOf(name) ?? Number.NaN, 'SIGKILL');
  } catch {
    // It is not running now.
  }
}

const lines = (text: string): readonly string[] => dev.err.filter((line) => line.includes(text));

/** Repeats the request until the connection is accepted. */
async function once(work: () => Promise<unknown>): Promise<void> {
  await until(() =>
    work().then(
      () => true,
      () => false,
    ),
  );
}

test('PostgreSQL and Redis are restarted when they die, and everything continues', async () => {
  const fake = ending(await startFake());
  const at = `sys/sync/destinations/${type}/kept`;
  await client.write('secret/data/kept', { data: { v: 'first' } });
  await client.write(at, { ...fake.destination });
  await client.write(`${at}/associations/set`, { mount: 'secret', secret_name: 'kept' });
  const copies = () => [...fake.objects().values()].map(({ value }) => value);
  for (const [name, title] of [
    ['postgres', 'PostgreSQL'],
    ['redis', 'Redis'],
  ] as const) {
    kill(name);
    await once(() => client.write('secret/data/kept', { data: { v: `after ${name}` } }));
    await until(() => copies().includes(`{"v":"after ${name}"}`));
    expect(lines(`${title} is started again: it ended by itself (signal SIGKILL)`)).toHaveLength(1);
  }
});

test('a server that keeps dying ends the instance with one line that names it, and nothing keeps running', async () => {
  const all = descendants(dev.pid);
  await until(() => {
    kill('redis');
    return lines('does not stay up').length > 0;
  });
  const { code, err } = await dev.end('SIGURG');
  expect(code).toBe(1);
  expect(
    err.filter((line) => line.startsWith('keyferry: Redis does not stay up, started 5 times anew: ')),
  ).toHaveLength(1);
  expect(all.filter(isRunning)).toEqual([]);
});
