import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { freePort } from '#infra/local/child.ts';
import { runningProcess } from '#infra/local/running.ts';
import { until } from '#test/support/flow/ground.ts';
import { descendants, isRunning, runProgram, type Started, startProgram } from '#test/support/flow/processes.ts';
import { ending } from '#test/support/services.ts';

const rootToken = 'a-root-token-of-my-own';
const type = 'cloud-a-sm';
let folder: string;
let port: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-dev-'));
  port = await freePort();
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const environment = (changes: Readonly<Record<string, string>> = {}) => ({
  KEYFERRY_DATA_DIR: join(folder, 'data'),
  PORT: String(port),
  KEYFERRY_SHUTDOWN_MS_MAX: '500',
  KEYFERRY_DEV_AGENT: 'off',
  ...changes,
});
const startDev = async (changes: Readonly<Record<string, string>> = {}): Promise<Started> =>
  ending(await startProgram('dev', { environment: environment(changes) }));

/** What an instance has started: PostgreSQL with its processes, Redis, and programs that end by themselves. */
function startedBy(dev: Started): readonly number[] {
  const started = descendants(dev.pid);
  expect(started.length).toBeGreaterThan(2);
  return started;
}

/** PostgreSQL and Redis alone: a process of a connection, or a program that is asked for its version, may end at any time. */
function serversOf(dev: Started): readonly number[] {
  const servers = descendants(dev.pid).filter((pid) => isServerOf(dev, pid));
  expect(servers).toHaveLength(2);
  return servers;
}

function isServerOf(dev: Started, pid: number): boolean {
  const process = runningProcess(pid);
  return process?.parent === dev.pid && /postgres|redis-server/.test(process.command);
}

const running = (servers: readonly number[]): readonly number[] => servers.filter(isRunning);

test('the first start uses the given port and root token, and Ctrl-C ends it with its servers even with work in flight', async () => {
  const dev = await startDev({ KEYFERRY_DEV_ROOT_TOKEN: rootToken });
  expect(dev.ready).toBe(`http://127.0.0.1:${port}`);
  expect(dev.out.at(-1)).toBe(`ready http://127.0.0.1:${port}`);
  expect(dev.out).toContain(`root token ${rootToken}`);
  const client = new ApiClient(dev.ready, rootToken);
  const fake = ending(await startFake());
  fake.fail({ kind: 'hang' });
  await client.write('secret/data/kept', { data: { v: 'first' } });
  await client.write(`sys/sync/destinations/${type}/kept`, { ...fake.destination });
  const setting = client.write(`sys/sync/destinations/${type}/kept/associations/set`, {
    mount: 'secret',
    secret_name: 'kept',
  });
  setting.catch(() => {});
  await until(() => fake.calls().size > 0);
  const servers = startedBy(dev);
  const { code, err } = await dev.endGroup('SIGINT');
  expect({ code, left: running(servers) }).toEqual({ code: 0, left: [] });
  expect(err.filter((line) => line.includes('"level":50'))).toEqual([]);
});

test('a second start keeps the data and the root token, and SIGTERM ends it with its servers', async () => {
  const dev = await startDev();
  expect(dev.out).toContain(`root token ${rootToken}`);
  const read = await new ApiClient(dev.ready, rootToken).read('secret/data/kept');
  expect(read).toMatchObject({ data: { v: 'first' } });
  const servers = startedBy(dev);
  const { code } = await dev.end('SIGTERM');
  expect({ code, left: running(servers) }).toEqual({ code: 0, left: [] });
});

test('a second instance on the same data is refused with one line, keeps nothing running and does not affect the first', async () => {
  const dev = await startDev();
  const servers = serversOf(dev);
  const onPort = await runProgram('dev', { environment: environment({ KEYFERRY_DATA_DIR: join(folder, 'other') }) });
  expect(onPort).toMatchObject({ code: 1, out: [] });
  expect(onPort.err).toEqual([
    `keyferry: port ${port} of 127.0.0.1 is in use: end the program that listens there, or set PORT to a free port`,
  ]);
  const onData = await runProgram('dev', { environment: environment({ PORT: '0' }) });
  expect(onData).toMatchObject({ code: 1, out: [] });
  expect(onData.err).toHaveLength(1);
  expect(onData.err[0]).toContain(`is in use by process ${dev.pid}: end it, or set KEYFERRY_DATA_DIR`);
  expect(running(servers)).toEqual(servers);
  const client = new ApiClient(dev.ready, rootToken);
  await client.write('secret/data/kept', { data: { v: 'second' } });

  await dev.end('SIGKILL');
  await until(() => running(servers).length === 0);
  const next = await startDev();
  expect(await new ApiClient(next.ready, rootToken).read('secret/data/kept')).toMatchObject({ data: { v: 'second' } });
  expect((await next.end('SIGTERM')).code).toBe(0);
});

test('a start that was killed while it created its database does not prevent the next one', async () => {
  const own = { KEYFERRY_DATA_DIR: join(folder, 'interrupted'), PORT: '0' };
  const data = join(folder, 'interrupted');
  const interrupted = runProgram('dev', {
    environment: environment(own),
    killWhen: () => existsSync(join(data, 'postgres.new', 'PG_VERSION')),
  });
  expect((await interrupted).signal).toBe('SIGKILL');
  const dev = await startDev(own);
  expect((await dev.end('SIGTERM')).code).toBe(0);
});

test('a missing root token is generated, printed, and printed again at the next start', async () => {
  const own = { KEYFERRY_DATA_DIR: join(folder, 'own-token'), PORT: '0' };
  const tokenLine = (dev: Started) => dev.out.find((line) => line.startsWith('root token '));
  const first = await startDev(own);
  const token = tokenLine(first)?.slice('root token '.length) ?? '';
  expect(token.length).toBeGreaterThan(20);
  expect(await new ApiClient(first.ready, token).read('sys/sync/config')).toMatchObject({ disabled: false });
  await first.end('SIGTERM');
  const second = await startDev(own);
  expect(tokenLine(second)).toBe(`root token ${token}`);
  expect((await second.end('SIGTERM')).code).toBe(0);
});
