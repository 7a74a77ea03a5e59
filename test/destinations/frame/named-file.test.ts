import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NamedFileError, readNamedFile, refusePath } from '#destinations/frame/named-file.ts';

let base = '';
let folder = '';
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'keyferry-files-'));
  folder = join(base, 'keys');
  await mkdir(join(folder, 'team'), { recursive: true });
  await mkdir(join(base, 'keys-of-others'));
  await writeFile(join(folder, 'team', 'key.json'), 'inside');
  await writeFile(join(base, 'outside.json'), 'OUTSIDE');
  await writeFile(join(base, 'keys-of-others', 'key.json'), 'OUTSIDE');
  await writeFile(join(folder, 'largest'), 'x'.repeat(65_536));
  await writeFile(join(folder, 'larger'), 'x'.repeat(65_537));
  await symlink('team/key.json', join(folder, 'link'));
  await symlink('../outside.json', join(folder, 'escape'));
  await symlink(base, join(folder, 'up'));
  await symlink('/dev/zero', join(folder, 'zero'));
  await symlink('loop', join(folder, 'loop'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
});
afterAll(() => rm(base, { recursive: true, force: true }));

const refusalOf = async (root: string | undefined, path: string): Promise<string> => {
  const outcome = await readNamedFile(root, path).catch((error: unknown) => error);
  if (!(outcome instanceof NamedFileError)) throw new Error('it was read', { cause: outcome });
  expect(outcome.message).not.toContain('OUTSIDE');
  return outcome.message;
};

test('a file in the folder is read by its relative or absolute path, or by a link within the folder', async () => {
  for (const path of ['team/key.json', join(folder, 'team/key.json'), './team/../team/key.json', 'link']) {
    expect(refusePath(folder, path)).toBeUndefined();
    expect(await readNamedFile(folder, path)).toBe('inside');
  }
  expect(await readNamedFile(join(folder, 'up', 'keys'), 'team/key.json')).toBe('inside');
});

test('without a folder no file is read, and the text says what to set', async () => {
  expect(await refusalOf(undefined, join(folder, 'link'))).toContain('KEYFERRY_CREDENTIALS_DIR');
});

test.each(['/etc/passwd', '../outside.json', 'team/../../outside.json', '../keys-of-others/key.json', '.', '..', ''])(
  'the path %j leads out of the folder',
  async (path) => {
    expect(refusePath(folder, path)).toContain('not in the folder');
    expect(await refusalOf(folder, path)).toContain('not in the folder');
  },
);

test.each(['escape', 'up/outside.json', 'zero', 'up/keys-of-others/key.json'])(
  'the link %s leads out of the folder',
  async (path) => {
    expect(await refusalOf(folder, path)).toContain('not in the folder');
  },
);

test.each([
  ['pipe', 'not a regular file'],
  ['team', 'not a regular file'],
  ['missing', 'ENOENT'],
  ['loop', 'ELOOP'],
  ['team/key.json/x', 'ENOTDIR'],
  ['larger', 'more than 65536 bytes'],
  ['nul\0', 'not in the folder'],
])('%j is refused: %s', async (path, text) => {
  expect(await refusalOf(folder, path)).toContain(text);
});

test('a file of the maximum size is read completely', async () => {
  expect(await readNamedFile(folder, 'largest')).toHaveLength(65_536);
});

test('no path blocks the threads that name resolution needs', async () => {
  const paths = ['/dev/ptmx', '/dev/zero', '/dev/tty', '/dev/stdin', 'pipe', 'zero', join(folder, 'pipe')];
  const many = paths.flatMap((path) => Array.from({ length: 8 }, () => path));
  for (const text of await Promise.all(many.map((path) => refusalOf(folder, path)))) expect(text).not.toBe('');
  expect(await readNamedFile(folder, 'link')).toBe('inside');
});
