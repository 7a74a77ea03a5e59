import { execFileSync } from 'node:child_process';
import { chown, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readWritten } from '#agent/run/written.ts';
import { workspaceGround } from '../../workspaces/support/ground.ts';
import { agentOf, settled } from '../agent-of.ts';

// Files that a run leaves for the agent, which may read more than the run.
const ground = workspaceGround();
const bytesMax = 1_024;

async function folders() {
  const parent = await mkdtemp(join(tmpdir(), 'written-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  const root = join(parent, 'run');
  await mkdir(join(root, 'sub'), { recursive: true });
  await writeFile(join(parent, 'outside'), 'marker');
  const read = (name: string, user: { uid: number; gid: number } | undefined = undefined) =>
    readWritten(join(root, name), { root, user }, bytesMax);
  return { parent, root, read };
}

test('a file of the run is read; one that is not there is none', async () => {
  const { root, read } = await folders();
  await writeFile(join(root, 'sub/file'), 'text');
  expect((await read('sub/file'))?.toString()).toBe('text');
  expect(await read('sub/none')).toBeUndefined();
});

test('a link, a path through a link, a pipe, a folder and a large file are refused', async () => {
  const { parent, root, read } = await folders();
  await symlink(join(parent, 'outside'), join(root, 'link'));
  await expect(read('link')).rejects.toThrow('The file link cannot be read: it is a link.');
  await rename(join(root, 'sub'), join(root, 'sub-before'));
  await symlink(parent, join(root, 'sub'));
  await expect(read('sub/outside')).rejects.toThrow('it is outside of the folder of the run');
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await expect(read('pipe')).rejects.toThrow('it is no regular file');
  await expect(read('sub-before')).rejects.toThrow('it is no regular file');
  await writeFile(join(root, 'large'), Buffer.alloc(bytesMax + 1));
  await expect(read('large')).rejects.toThrow(`it has ${bytesMax + 1} bytes, and ${bytesMax} are the limit`);
});

test('a file of another user is refused, also by another name', async () => {
  if (process.getuid?.() !== 0) return;
  const { parent, root, read } = await folders();
  await link(join(parent, 'outside'), join(root, 'hard'));
  const user = { uid: 60_901, gid: 60_901 };
  await expect(read('hard', user)).rejects.toThrow('it belongs to another user');
  await chown(join(root, 'hard'), user.uid, user.gid);
  expect((await read('hard', user))?.toString()).toBe('marker');
});

test.each([
  ['a pipe', 'mkfifo terraform.tfstate', 'it is no regular file'],
  ['a link', 'ln -s /etc/passwd terraform.tfstate', 'it is a link'],
  ['too large', 'truncate -s 300M terraform.tfstate', 'bytes, and 268435456 are the limit'],
])('an apply whose state is %s is errored with the reason', async (_what, script, reason) => {
  const { configure, run, until, logOf, folders: left } = await agentOf(ground, { diskBytesMax: 1_073_741_824 });
  await configure({ 'apply.sh': `rm -f terraform.tfstate; ${script}; exit 0` });
  const { id } = (await run({ 'auto-apply': true })).item;
  expect(await until(id, settled)).toBe('errored');
  const log = await logOf(id, 'apply');
  expect(log).toContain('The state could not be stored. The file terraform.tfstate cannot be read');
  expect(log).toContain(reason);
  expect(await left()).toEqual(reason.includes('limit') ? [`${id}.tfstate`] : []);
});

test('a plan that is a link is errored, and what it points to is not stored', async () => {
  const { configure, run, until, logOf } = await agentOf(ground);
  await configure({ 'plan.sh': 'ln -s /etc/passwd keyferry.tfplan; exit 2' });
  const { id } = (await run()).item;
  expect(await until(id, settled)).toBe('errored');
  expect(await logOf(id, 'plan')).toContain('The file keyferry.tfplan cannot be read: it is a link.');
});
