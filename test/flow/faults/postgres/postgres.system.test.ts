import { beforeAll, expect, test } from 'vitest';
import { groundOf, type, until } from '#test/support/flow/ground.ts';
import type { Started } from '#test/support/flow/processes.ts';
import { ending } from '#test/support/services.ts';

const ground = groundOf({ ownPostgres: true, settings: { KEYFERRY_DATABASE_CONNECT_MS_MAX: '1000' } });
let processes: { readonly api: Started; readonly worker: Started; readonly sweep: Started };
beforeAll(async () => {
  const [api, worker, sweep] = await Promise.all([
    ground.start('serve'),
    ground.start('worker'),
    ground.start('sweep'),
  ]);
  processes = { api, worker, sweep };
});

const write = (name: string, v: string) => ground.ask(processes.api, 'POST', `secret/data/${name}`, { data: { v } });
const setPath = (name: string) => `sys/sync/destinations/${type}/${name}/associations/set`;
const copies = (hint: string): readonly string[] =>
  [...ground.fake.objects()].filter(([at]) => at.includes(hint)).map(([, { value }]) => value);
const health = () => ground.ask(processes.api, 'GET', 'sys/health');

async function associate(name: string): Promise<void> {
  await ground.destination(processes.api, name);
  await write(name, 'first');
  await ground.client(processes.api).write(setPath(name), { mount: 'secret', secret_name: name });
}

test('while PostgreSQL is stopped, requests get 503 and health says why; then everything recovers without help', async () => {
  const { api } = processes;
  await associate('stopped');
  await ground.untilQuiet();
  await write('stopped', 'second');
  await ground.postgres.stop();
  for (const [method, path, body] of [
    ['GET', 'secret/data/stopped'],
    ['POST', 'secret/data/stopped', { data: { v: 'lost' } }],
    ['POST', setPath('stopped'), { mount: 'secret', secret_name: 'stopped' }],
    ['GET', 'sys/sync/config'],
  ] as const) {
    const { status, errors } = await ground.ask(api, method, path, body);
    expect({ path, status }).toEqual({ path, status: 503 });
    expect(errors.join()).toContain('the database cannot serve this now');
  }
  const ill = await health();
  expect(ill.status).toBe(503);
  expect(ill.errors).toEqual(['the database is not available']);

  await ground.postgres.start();
  await until(async () => (await health()).status === 200);
  await until(async () => (await write('stopped', 'third')).status === 200);
  await ground.untilQuiet();
  expect(copies('stopped')).toEqual(['{"v":"third"}']);
});

test('a crash of PostgreSQL under load loses nothing that was acknowledged', async () => {
  const names = Array.from({ length: 30 }, (_, index) => `crash-${index}`);
  const { api } = processes;
  await ground.destination(api, 'crash');
  await Promise.all(names.map((name) => write(name, 'first')));
  const client = ground.client(api);
  await Promise.all(names.map((name) => client.write(setPath('crash'), { mount: 'secret', secret_name: name })));
  await ground.untilQuiet();
  const answers = Promise.all(names.map(async (name) => ({ name, status: (await write(name, 'second')).status })));
  await until(() => copies('crash-').includes('{"v":"second"}'));
  await ground.postgres.kill();
  const written = new Set((await answers).filter(({ status }) => status === 200).map(({ name }) => name));
  await ground.postgres.start();
  await until(async () => (await health()).status === 200);
  await ground.untilQuiet();
  const copied = new Map(
    [...ground.fake.objects()].map(([at, { value }]) => [at.slice(at.lastIndexOf('/') + 1), value]),
  );
  expect(written.size).toBeGreaterThan(0);
  for (const name of names) {
    const { data } = await ground.ask(api, 'GET', `secret/data/${name}`);
    expect(copied.get(name)).toBe(JSON.stringify(data['data']));
    if (written.has(name)) expect(copied.get(name)).toBe('{"v":"second"}');
  }
});

test('a worker that loses its database during a push repeats the push without a conflict with itself', async () => {
  await ground.destination(processes.api, 'midway');
  await write('midway', 'first');
  const creations = () => ground.fake.calls().get('CreateSecret') ?? 0;
  const before = creations();
  ground.fake.failOf('CreateSecret', { kind: 'hang' });
  await ground.client(processes.api).write(setPath('midway'), { mount: 'secret', secret_name: 'midway' });
  await until(() => creations() > before);
  await ground.postgres.kill();
  ground.fake.failOf('CreateSecret', { kind: 'lost-answer', times: 1 });
  await ground.postgres.start();
  await until(async () => (await health()).status === 200);
  await ground.untilQuiet();
  expect(copies('midway')).toEqual(['{"v":"first"}']);
  const rows = await ground.query<{ status: string }>(`select status from associations where secret_name = 'midway'`);
  expect(rows).toEqual([{ status: 'SYNCED' }]);
});

test('no process has ended, and each ends cleanly while PostgreSQL is down', async () => {
  await ground.postgres.kill();
  const { api, worker, sweep } = processes;
  const ends = await Promise.all([api, worker, sweep].map((one) => ending(one).end('SIGTERM')));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(sweep.err.join('\n')).toContain('the sweep works again');
});
