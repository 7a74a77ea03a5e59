import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { isRoot } from '#infra/local/account.ts';
import { isOpenToAll } from '#infra/local/postgres/programs.ts';

vi.setConfig({ testTimeout: 120_000 });

beforeEach(async ({ skip }) => {
  if (!isRoot) skip('only root can become other users');
  if (!(await isOpenToAll(dirname(program)))) skip('other users cannot enter this checkout');
});

const program = new URL('start-and-show.ts', import.meta.url).pathname;

async function emptyFolder(owner: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-users-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, owner, owner);
  return folder;
}

/** Starts both servers as another user on a folder of that user, uses and stops them. Returns the results. */
async function startAs(user: number, folder: string) {
  const env = { PATH: process.env['PATH'] };
  const child = spawn(process.execPath, [program, folder], { env, uid: user, gid: user });
  const err: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => err.push(line));
  const ended = once(child, 'close');
  const found = once(createInterface({ input: child.stdout }), 'line').then(([line]) => JSON.parse(String(line)));
  const early = ended.then(() => Promise.reject(new Error(err.join('\n'))));
  early.catch(() => {});
  try {
    return await Promise.race([found, early]);
  } finally {
    child.stdin.end();
    await ended;
  }
}

test.each([
  ['root', 0],
  ['a user with a name', 65_534],
  ['a number without a name', 12_345],
])('%s starts both servers on a folder of its own, and finds its data at the next start', async (_who, user) => {
  const folder = await emptyFolder(user);
  const first = await startAs(user, folder);
  const second = await startAs(user, folder);
  expect([first.made, second.made]).toEqual([1, 2]);
  expect(new URL(second.databaseUrl).password).toBe(new URL(first.databaseUrl).password);
  expect(new URL(second.redisUrl).password).toBe(new URL(first.redisUrl).password);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('root does not take the data of another user', async () => {
  const folder = await emptyFolder(12_345);
  await startAs(12_345, folder);
  await expect(startAs(0, folder)).rejects.toThrow('belongs to user 12345: start as that user');
  expect((await startAs(12_345, folder)).made).toBe(2);
});
