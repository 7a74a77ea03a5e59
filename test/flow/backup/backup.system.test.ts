import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startPostgres } from '#infra/local/postgres/start.ts';
import type { LocalServer } from '#infra/local/server.ts';
import { runCommand } from '../../support/flow/backup/backup.ts';
import { type Answer, ask } from '../../support/flow/calls/ask.ts';
import { eventually, serviceOf } from '../../support/flow/open-service.ts';
import { type Copy, openCopy } from './copy.ts';

// A store is backed up during writes, and restored on another PostgreSQL with an empty Redis.
const types = ['cloud-a-sm', 'repo-host'];
const service = serviceOf(types);
const value = (hint: string) => `${hint}-${randomBytes(12).toString('hex')}`;
const values = { a: value('alpha'), b: value('beta') };

let folder: string;
let path: string;
let elsewhere: LocalServer;
let copy: Copy;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-backup-'));
  path = join(folder, 'store.backup');
  elsewhere = await startPostgres({ dataDir: join(folder, 'postgres'), volatile: true });
});
afterAll(async () => {
  await copy?.close();
  await elsewhere.stop();
  await rm(folder, { recursive: true, force: true });
});

const inCopy = (method: string, where: string, body?: unknown): Promise<Answer> =>
  ask({ address: copy.address, token: service.rootToken, method, path: where, body });
const calls = () => types.map((type) => service.calls(type));
const places: { type: string; destination: string; secret: string }[] = [];

test('the store is written to a file that only its owner can read, during concurrent writes', async () => {
  for (const type of types) {
    const destination = await service.destination(type);
    const secret = await service.secret({ [type]: type === types[0] ? values.a : values.b });
    await service.set(type, destination, secret);
    places.push({ type, destination, secret });
  }
  await service.untilQuiet();
  await service.ask('POST', 'sys/namespaces/kept', {});
  await service.ask('POST', 'kept/identity/entity', { name: 'ada' });
  let writing = true;
  const write = async (version: number) => {
    await service.ask('POST', 'secret/data/busy', { data: { version } });
    await service.ask('POST', `secret/data/busy/${version}`, { data: { version } });
  };
  // Both kinds of secrets are there when the backup begins.
  await write(1);
  const writes = (async () => {
    for (let version = 2; writing; version += 1) await write(version);
  })();
  const ended = await runCommand('backup', service.config.DATABASE_URL, '--out', path);
  writing = false;
  await writes;
  expect(ended).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^backup .*: \d+ rows of .*SHA-256 [0-9a-f]{64}\n/),
  });
  expect(ended.err).toMatch(/^associations: 2 rows$/m);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder)).not.toContain('store.backup.unfinished');
  const content = await readFile(path, 'latin1');
  for (const secret of [...Object.values(values), service.rootToken, service.config.KEYFERRY_SEAL_KEY ?? '']) {
    expect(content.includes(secret)).toBe(false);
    expect(ended.out + ended.err).not.toContain(secret);
  }
});

test('a complete file is verified without a database, and a damaged one is refused', async () => {
  const whole = await runCommand('backup', undefined, '--verify', path, '--json');
  expect(whole).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(whole.out)).toMatchObject({ file: path, rows: { associations: 2, seal: 1 } });
  const content = await readFile(path);
  const other = join(folder, 'other.backup');
  await writeFile(other, content.subarray(0, content.length - 1));
  expect(await runCommand('backup', undefined, '--verify', other)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(/damaged or incomplete/),
  });
});

test('a restored store is unsealed by its key and has the secrets of one instant', async () => {
  const ended = await runCommand('restore', elsewhere.url, '--in', path, '--json');
  expect(ended).toMatchObject({ code: 0, err: '' });
  const restored = JSON.parse(ended.out);
  expect(restored).toMatchObject({ file: path, rows: { associations: 2, seal: 1 } });
  copy = await openCopy(service, elsewhere.url, types);
  expect((await inCopy('GET', 'sys/seal-status')).body).toMatchObject({
    sealed: false,
    cluster_id: restored.cluster_id,
  });
  for (const { secret } of places) {
    const [here, there] = [
      await service.ask('GET', `secret/data/${secret}`),
      await inCopy('GET', `secret/data/${secret}`),
    ];
    expect(there.data).toEqual(here.data);
  }
  expect((await inCopy('GET', 'kept/identity/entity/name/ada')).status).toBe(200);
  const busy = (await inCopy('GET', 'secret/data/busy')).data as {
    data: { version: number };
    metadata: { version: number };
  };
  expect(busy.data.version).toBe(busy.metadata.version);
  // Each secret was written after the first one, and so is at most one version behind.
  const last = Math.max(...((await inCopy('LIST', 'secret/metadata/busy')).data['keys'] as string[]).map(Number));
  expect([busy.data.version, busy.data.version - 1]).toContain(last);
});

test('the restored associations are in line without a call', async () => {
  const before = calls();
  for (const { type, destination } of places) {
    const { data } = await inCopy('GET', `sys/sync/destinations/${type}/${destination}/associations`);
    expect(JSON.stringify(data)).toContain('SYNCED');
  }
  for (let round = 0; round < 3; round += 1) await copy.sweeper.run();
  expect(calls()).toEqual(before);
});

test('what was pushed after the backup stays until the operator says which side is right', async () => {
  const [{ type, destination, secret }] = places as [(typeof places)[0]];
  const newer = value('newer');
  await service.secret({ [type]: newer }, secret);
  await service.untilQuiet();
  const remote = () => JSON.stringify([...service.fake(type).objects().values()]);
  expect(remote()).toContain(newer);
  for (let round = 0; round < 3; round += 1) await copy.sweeper.run();
  expect(remote()).toContain(newer);
  const at = `sys/sync/destinations/${type}/${destination}/associations/set`;
  expect((await inCopy('POST', at, { mount: 'secret', secret_name: secret })).status).toBe(200);
  await eventually(() => remote().includes(values.a) && !remote().includes(newer), remote);
});

test('a change in the restored store arrives', async () => {
  const [, { type, secret }] = places as [(typeof places)[0], (typeof places)[0]];
  const changed = value('changed');
  expect((await inCopy('POST', `secret/data/${secret}`, { data: { [type]: changed } })).status).toBe(200);
  await eventually(() => JSON.stringify([...service.fake(type).objects().values()]).includes(changed));
  const created = await inCopy('POST', 'secret/data/new', { data: { a: 1 } });
  expect(created.status).toBe(200);
});

test('an existing store is replaced only on request', async () => {
  const refused = await runCommand('restore', elsewhere.url, '--in', path);
  expect(refused).toMatchObject({ code: 1, err: expect.stringMatching(/already has a store: .*--force/) });
  await copy.close();
  expect(await runCommand('restore', elsewhere.url, '--in', path, '--force')).toMatchObject({ code: 0 });
  copy = await openCopy(service, elsewhere.url, types);
  expect((await inCopy('GET', 'secret/data/new')).status).toBe(404);
});

test('the commands say what is missing', async () => {
  const missing = join(folder, 'none');
  const ends = await Promise.all([
    runCommand('backup', undefined, '--out', missing),
    runCommand('backup', elsewhere.url),
    runCommand('backup', elsewhere.url, '--out', path),
    runCommand('restore', elsewhere.url, '--in', missing),
    runCommand('restore', 'postgres://keyferry:hidden-word@127.0.0.1:1/none', '--in', path),
  ]);
  const outputs = ends.map(({ code, out, err }) => `${code} ${out}${err}`);
  expect(outputs).toEqual([
    expect.stringMatching(/^1 backup: DATABASE_URL is not set/),
    expect.stringMatching(/^1 backup: --out is missing/),
    expect.stringMatching(/^1 backup: .*is there already/),
    expect.stringMatching(/^1 restore: .*cannot be read: ENOENT/),
    expect.stringMatching(/^1 restore: .*it refuses connections/),
  ]);
  expect(outputs.join()).not.toContain('hidden-word');
});
