import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#infra/local/child.ts';
import { startInFlightProxy } from '../../support/flow/calls/in-flight.ts';
import { groundOf, type, until } from '../../support/flow/ground.ts';
import { runProgram, type Started } from '../../support/flow/processes.ts';
import { ending } from '../../support/services.ts';

const ground = groundOf();
let api: Started;
beforeAll(async () => {
  api = await ground.start('serve');
});

const calls = (operation: string): number => ground.fake.calls().get(operation) ?? 0;
const copies = (name: string): readonly string[] =>
  [...ground.fake.objects()].filter(([at]) => at.includes(name)).map(([, { value }]) => value);

/** Long limits, so that a slow machine does not reach them. */
const patient = {
  KEYFERRY_SYNC_CONNECT_MS_MAX: '60000',
  KEYFERRY_SYNC_REQUEST_MS_MAX: '60000',
  KEYFERRY_SYNC_OPERATION_MS_MAX: '60000',
  KEYFERRY_SYNC_LOCK_MS: '240000',
  KEYFERRY_SHUTDOWN_MS_MAX: '240000',
};

/** Waits until the process has received its signal and logs that it waits for the work in flight. */
const isEnding = ({ err }: Started): boolean => err.some((line) => line.includes('ending the work in flight'));

async function associate(name: string, destination: object = {}): Promise<void> {
  await ground.destination(api, name, destination);
  const client = ground.client(api);
  await client.write(`secret/data/${name}`, { data: { v: 'first' } });
  await client.write(`sys/sync/destinations/${type}/${name}/associations/set`, { mount: 'secret', secret_name: name });
}

describe('SIGTERM', () => {
  test('ends each idle process with code 0', async () => {
    const started = await Promise.all([ground.start('serve'), ground.start('worker'), ground.start('sweep')]);
    const ends = await Promise.all(started.map((one) => ending(one).end('SIGTERM')));
    expect(ends.map(({ code, signal }) => ({ code, signal }))).toEqual(started.map(() => ({ code: 0, signal: null })));
  });

  test('lets a worker finish the push in flight', async () => {
    const inFlight = ending(await startInFlightProxy(ground.fake));
    const held = inFlight.hold();
    await associate('finished', inFlight.destination);
    const worker = ending(await ground.start('worker', patient));
    await held.reached;
    const ended = worker.end('SIGTERM');
    await until(() => isEnding(worker));
    held.release();
    expect((await ended).code).toBe(0);
    expect(await ground.dirty()).toBe(0);
    expect(copies('finished')).toEqual(['{"v":"first"}']);
  });

  test('makes a worker return a push that does not end, and another worker takes it', async () => {
    ground.fake.failOf('CreateSecret', { kind: 'hang' });
    const before = calls('CreateSecret');
    await associate('given-back');
    const worker = ending(await ground.start('worker', { KEYFERRY_SHUTDOWN_MS_MAX: '200' }));
    await until(() => calls('CreateSecret') > before);
    const { code } = await worker.end('SIGTERM');
    expect(code).toBe(0);
    ground.fake.heal();
    ending(await ground.start('worker'));
    // Leftovers of another failed test do not concern this one.
    await until(() => copies('given-back').length > 0);
    expect(copies('given-back')).toEqual(['{"v":"first"}']);
  });

  test('ends an idle worker even when Redis is down, without waiting for work that does not exist', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    const worker = ending(await ground.start('worker', { REDIS_URL: redisUrl, KEYFERRY_SHUTDOWN_MS_MAX: '600000' }));
    expect((await worker.end('SIGTERM')).code).toBe(0);
  });

  test('lets an API answer the request in flight, and ends it even if the client keeps its connection open', async () => {
    const second = ending(await ground.start('serve', { KEYFERRY_SYNC_WAIT_MS: '1000' }));
    const name = 'answered';
    await ground.destination(second, name);
    await ground.client(second).write(`secret/data/${name}`, { data: { v: 'first' } });
    const path = `sys/sync/destinations/${type}/${name}/associations/set`;
    // No worker runs, so the set waits for its own push up to the limit; leftovers of another test's worker stay.
    const left = await ground.dirty();
    const waiting = ground.ask(second, 'POST', path, { mount: 'secret', secret_name: name });
    await until(async () => (await ground.dirty()) === left + 1);
    const ended = second.end('SIGTERM');
    const { status, data } = await waiting;
    expect(status).toBe(200);
    expect(JSON.stringify(data)).toContain('PENDING');
    expect((await ended).code).toBe(0);
  });
});

describe('a start that cannot succeed ends with code 1 and one line that says what to do', () => {
  test.each([
    ['serve', { PORT: 'eighty' }, 'PORT must be an integer from 0 to 65535'],
    ['serve', { DATABASE_URL: '' }, 'DATABASE_URL is not set: it is the URL of a PostgreSQL 15 or later'],
    ['serve', { DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' }, 'it refuses connections; check DATABASE_URL, then'],
    ['worker', { REDIS_URL: 'localhost' }, 'REDIS_URL must have the form redis://'],
    [
      'worker',
      { KEYFERRY_SYNC_OPERATION_MS_MAX: '1600', KEYFERRY_SYNC_LOCK_MS: '2800' },
      'KEYFERRY_SYNC_OPERATION_MS_MAX + KEYFERRY_SYNC_REQUEST_MS_MAX (2600) may be at most 0.9 of KEYFERRY_SYNC_LOCK_MS (2800), which is 2520',
    ],
    ['worker', { KEYFERRY_SEAL_KEY: '' }, 'KEYFERRY_SEAL_KEY is not set: the worker unseals itself with this key'],
    [
      'sweep',
      { KEYFERRY_SEAL_KEY: 'short' },
      'must be 32 bytes in hex or base64: create one with "openssl rand -hex 32"',
    ],
    ['dev', { PORT: '123456' }, 'PORT must be an integer from 0 to 65535'],
  ] as const)('%s with %o', async (program, changes, line) => {
    const environment = { ...ground.environment, ...changes };
    const { code, out, err } = await runProgram(program, { environment });
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(err).toHaveLength(1);
    expect(err[0]).toContain('keyferry: ');
    expect(err[0]).toContain(line);
  });

  test('serve where the port is in use', async () => {
    const port = new URL(api.ready).port;
    const { code, out, err } = await runProgram('serve', { environment: { ...ground.environment, PORT: port } });
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(err.at(-1)).toBe(
      `keyferry: port ${port} of 127.0.0.1 is in use: end the program that listens there, or set PORT to a free port`,
    );
  });
});
