import { mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { serviceOf } from '../../support/flow/open-service.ts';
import { linesOf, removeDevices } from './log.ts';

const root = await mkdtemp(join(tmpdir(), 'keyferry-folder-'));
const [folder, outside] = [join(root, 'logs'), join(root, 'outside')];
await Promise.all([mkdir(join(folder, 'deep'), { recursive: true }), mkdir(outside)]);
await symlink(outside, join(folder, 'away'));
await symlink(join(outside, 'file'), join(folder, 'link'));
await symlink(join(folder, 'deep'), join(folder, 'within'));
const service = serviceOf([], { KEYFERRY_AUDIT_DIR: folder });

afterEach(() => removeDevices(service));

const enable = (path: string) =>
  service.ask('POST', `sys/audit/${service.name('device')}`, { type: 'file', options: { file_path: path } });

test.each([
  ['another folder', join(outside, 'file')],
  ['..', `${folder}/../outside/file`],
  ['.. further down', `${folder}/deep/../../outside/file`],
  ['a folder with the same beginning', `${folder}-more`],
  ['the folder itself', folder],
  ['a symbolic link to a folder', join(folder, 'away', 'file')],
  ['a symbolic link to a file', join(folder, 'link')],
])('KEYFERRY_AUDIT_DIR cannot be escaped by %s', async (_, path) => {
  expect((await enable(path)).status).toBe(400);
  expect(await readdir(outside)).toEqual([]);
});

test.each(['log', 'deep/log', 'within/linked'])('a file below KEYFERRY_AUDIT_DIR is accepted: %s', async (name) => {
  expect((await enable(join(folder, name))).status).toBe(204);
  expect(await linesOf(join(folder, name))).not.toEqual([]);
});
