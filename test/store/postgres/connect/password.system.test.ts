import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOf } from '#app/store-options.ts';
import { readConfig } from '#core/config.ts';
import { role } from '#infra/local/postgres/rights.ts';
import { type OpenStore, openStore } from '#store/open.ts';
import { eventually } from '#test/support/flow/open-service.ts';
import { newServer, type OwnServer } from '#test/support/postgres/own-server.ts';
import { ending } from '#test/support/services.ts';
import { storeOptions } from '../../stores.ts';

let server: OwnServer;
let folder = '';
let databaseUrl = '';
const file = (name: string) => join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-password-'));
  server = await newServer();
  await server.start();
  // The URL has an old password, which the file or program overrides.
  databaseUrl = server.url().replace(server.password, 'outdated');
});
afterAll(async () => {
  await server.remove();
  await rm(folder, { recursive: true, force: true });
});

const rotate = (password: string) => server.query(`alter role ${role} password '${password}'`);

async function open(settings: Readonly<Record<string, string>>): Promise<OpenStore> {
  const database = databaseOf(readConfig({ DATABASE_URL: databaseUrl, ...settings }), 'the database');
  return ending(await openStore({ ...storeOptions(databaseUrl, { poolSize: 5 }), ...database }));
}

const readOne = (store: OpenStore) => sql`select 1`.execute(store.db);
const dropAll = () =>
  server.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
const works = (store: OpenStore): Promise<boolean> =>
  readOne(store).then(
    () => true,
    () => false,
  );

test('the next connection uses a password that was rotated in its file', async () => {
  await writeFile(file('password'), 'first\n');
  await rotate('first');
  const store = await open({ KEYFERRY_DATABASE_PASSWORD_FILE: file('password') });
  await readOne(store);
  await rotate('second');
  await dropAll();
  await eventually(async () =>
    String(await readOne(store).catch((error: unknown) => error)).includes('refuses the login'),
  );
  await writeFile(file('password'), 'second\r\n');
  await readOne(store);
});

test('the password program runs once for a burst of connections, and again later', async () => {
  const script = file('token.sh');
  await writeFile(
    script,
    `#!/bin/sh\nenv >> ${file('environment')}\necho run >> ${file('runs')}\ncat ${file('token')}\n`,
    {
      mode: 0o755,
    },
  );
  const runs = async () => (await readFile(file('runs'), 'utf8')).trim().split('\n').length;
  await writeFile(file('token'), 'third');
  await rotate('third');
  const store = await open({
    KEYFERRY_DATABASE_PASSWORD_COMMAND: JSON.stringify(['/bin/sh', script, '$HOME; echo']),
    KEYFERRY_SEAL_KEY: 'marker-of-the-seal',
  });
  const before = await runs();
  await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.05)`.execute(store.db)));
  expect((await runs()) - before).toBeLessThanOrEqual(1);
  await rotate('fourth');
  await writeFile(file('token'), 'fourth');
  await dropAll();
  await eventually(() => works(store));
  expect(await runs()).toBeGreaterThan(before);
});

test('the password program does not receive the settings of the service', async () => {
  await writeFile(file('token'), 'fifth');
  await rotate('fifth');
  process.env['KEYFERRY_SEAL_KEY'] = 'marker-of-the-seal';
  process.env['OTHER_SETTING'] = 'marker-of-others';
  await open({ KEYFERRY_DATABASE_PASSWORD_COMMAND: `/bin/sh ${file('token.sh')}` }).finally(() => {
    delete process.env['KEYFERRY_SEAL_KEY'];
    delete process.env['OTHER_SETTING'];
  });
  const environment = await readFile(file('environment'), 'utf8');
  expect(environment).toContain('marker-of-others');
  expect(environment).not.toContain('marker-of-the-seal');
});

test.each([
  ['a program that fails', ['/bin/sh', '-c', 'echo marker; echo marker >&2; exit 3'], 'failed (it ended with 3)'],
  ['a program that is not there', ['/nowhere/token', 'marker'], 'failed (ENOENT)'],
  ['a program that prints nothing', ['/bin/sh', '-c', 'true'], 'PASSWORD_COMMAND is empty'],
  [
    'a program that prints lines',
    ['/bin/sh', '-c', 'echo marker; echo marker'],
    'is not a single line with a password',
  ],
  ['a program that prints without end', ['/bin/sh', '-c', 'yes marker'], 'failed (ERR_CHILD_PROCESS_STDIO_MAXBUFFER)'],
])('%s ends the start in one line that shows nothing of it', async (_name, words, why) => {
  const opened = open({ KEYFERRY_DATABASE_PASSWORD_COMMAND: JSON.stringify(words) });
  const failure = await opened.catch((error: unknown) => error);
  expect(failure).toEqual(expect.objectContaining({ kind: 'unavailable' }));
  expect(String(failure)).toContain(why);
  expect(String(failure)).not.toContain('marker');
});

test('an unreadable or empty password file ends the start', async () => {
  await expect(open({ KEYFERRY_DATABASE_PASSWORD_FILE: '/nowhere' })).rejects.toThrow(/cannot be read \(ENOENT\)/);
  await writeFile(file('empty'), '\n');
  await expect(open({ KEYFERRY_DATABASE_PASSWORD_FILE: file('empty') })).rejects.toThrow(/is empty/);
});

test('a file together with a program, and shell syntax, are refused', () => {
  const both = { KEYFERRY_DATABASE_PASSWORD_FILE: '/f', KEYFERRY_DATABASE_PASSWORD_COMMAND: '/c' };
  expect(() => readConfig(both)).toThrow(/are both set: set one of them/);
  expect(() => readConfig({ KEYFERRY_DATABASE_PASSWORD_COMMAND: 'a | b' })).toThrow(/it runs without a shell/);
});
