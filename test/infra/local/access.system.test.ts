import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isRoot } from '#infra/local/account.ts';
import { type LocalServices, startServices } from '#infra/local/services.ts';

/** A user that is neither ours nor the one that servers run as. Only root can switch to it. */
const stranger = isRoot ? { uid: 54_321, gid: 54_321 } : {};

let folder: string;
let services: LocalServices;
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'keyferry-access-')), 'data');
  services = await startServices(folder, {}, () => {});
});
afterAll(async () => {
  await services.stop();
  await rm(join(folder, '..'), { recursive: true, force: true });
});

const urls = (): readonly URL[] => [new URL(services.databaseUrl), new URL(services.redisUrl)];

async function asked<Row extends pg.QueryResultRow>(text: string): Promise<readonly Row[]> {
  const client = new pg.Client({ connectionString: services.databaseUrl });
  await client.connect();
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

test('another user of the machine cannot log in to either server without its password', async () => {
  const program = new URL('stranger.ts', import.meta.url).pathname;
  const args = [program, ...urls().map(({ port }) => port), folder];
  const { stdout } = await promisify(execFile)(process.execPath, args, { ...stranger, env: {} });
  const found = JSON.parse(stdout);
  for (const answer of found.logins) expect(answer).toMatch(/no pg_hba.conf entry|password/);
  expect(found.redis).toContain('NOAUTH');
  if (isRoot) for (const answer of found.folders) expect(answer).toContain('EACCES');
});

test('only the owner may enter the data folder, and read the passwords', async () => {
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  for (const name of ['postgres.password', 'redis.password']) {
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  }
});

test('no password is on a command line', () => {
  const secrets = urls().map(({ password }) => password);
  for (const secret of secrets) expect(secret).toHaveLength(64);
  const commands = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandOf);
  expect(commands.some((command) => command.includes('postgres'))).toBe(true);
  expect(commands.filter((command) => secrets.some((secret) => command.includes(secret)))).toEqual([]);
});

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
};

test('the role of the service owns its database and has no rights outside it', async () => {
  const mine =
    'select rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls as rights from pg_roles';
  expect(await asked(`${mine} where rolname = current_user`)).toEqual([{ rights: false }]);
  expect(await asked('select count(*)::int as n from pg_auth_members where member = current_user::regrole')).toEqual([
    { n: 0 },
  ]);
  await asked('create table own (id int); drop table own');
  await expect(asked("select pg_read_file('/etc/hostname')")).rejects.toThrow('permission denied');
  await expect(asked("copy (select 1) to program 'true'")).rejects.toThrow('permission denied');
});

test('servers that root has started run as another user, without groups and capabilities', async ({ skip }) => {
  if (!isRoot) skip('only root starts servers as another user');
  const [redisPid] = redisPids();
  const [lock = ''] = readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n');
  for (const pid of [lock, String(redisPid)]) {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(status).toMatch(/^Uid:\t60900\t60900\t60900\t60900$/m);
    expect(status).toMatch(/^Gid:\t60900\t60900\t60900\t60900$/m);
    expect(status).toMatch(/^Groups:\s*$/m);
    for (const set of ['Inh', 'Prm', 'Eff', 'Amb']) expect(status).toMatch(new RegExp(`^Cap${set}:\\t0+$`, 'm'));
  }
});

/** The process of the Redis on our port. */
const redisPids = (): readonly number[] => {
  const port = urls()[1]?.port ?? '';
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && commandOf(name).includes(`:${port}`))
    .map(Number);
};
