import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ReadmeSearch } from '#workspaces/resources/configuration-versions/readme-search.ts';
import { put } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { packed } from '../../support/packed.ts';
import { runnableWorkspace } from '../runs/runs-of.ts';

const ground = workspaceGround();

async function readmeIn(archive: Buffer, { folder = '', pieceBytes = 100 } = {}): Promise<string | undefined> {
  const search = new ReadmeSearch(folder);
  for (let at = 0; at < archive.length; at += pieceBytes) await search.look(archive.subarray(at, at + pieceBytes));
  return (await search.end())?.toString();
}

test('the README of the working directory is used, else that of the root', async () => {
  const archive = await packed({
    'main.tf': '',
    './README.md': 'root',
    'net/README.md': 'net',
    'net/a/README.md': 'a',
  });
  expect(await readmeIn(archive)).toBe('root');
  expect(await readmeIn(archive, { folder: 'net' })).toBe('net');
  expect(await readmeIn(archive, { folder: './net/' })).toBe('net');
  expect(await readmeIn(archive, { folder: 'elsewhere' })).toBe('root');
  expect(await readmeIn(await packed({ 'readme.txt': 'x' }))).toBeUndefined();
});

test('a README is truncated to 64 KiB at the end of a character', async () => {
  const found = (await readmeIn(await packed({ 'README.md': `a${'é'.repeat(40_000)}` }), { pieceBytes: 10_000 })) ?? '';
  expect(found).toBe(`a${'é'.repeat(32_767)}`);
});

test('an archive that cannot be unpacked or is too large unpacked has no README', async () => {
  const whole = await packed({ 'a.tf': Buffer.alloc(100_000, 'ab'), 'README.md': 'x' });
  for (const broken of [
    gzipSync('no tar'),
    whole.subarray(0, 80),
    Buffer.concat([whole.subarray(0, 40), whole]),
    Buffer.from([0x1f, 0x8b]),
  ])
    expect(await readmeIn(broken)).toBeUndefined();
  const bomb = await packed({ 'zeros.bin': Buffer.alloc(70_000_000), 'README.md': 'behind' });
  expect(await readmeIn(bomb, { pieceBytes: 65_536 })).toBeUndefined();
});

test('a workspace includes the README of its configuration', async () => {
  const { configuration, workspace, reader } = await runnableWorkspace(ground);
  const show = () => ground.call('GET', `/workspaces/${workspace.id}?include=readme`, undefined, reader.token);
  await configuration();
  expect((await show()).item.relationships['readme']).toEqual({ data: null });
  const made = await ground.call('POST', `/workspaces/${workspace.id}/configuration-versions`, {
    data: { type: 'configuration-versions', attributes: { 'auto-queue-runs': false } },
  });
  const upload = await put(made.item.attributes['upload-url'], await packed({ 'README.md': '# Network' }));
  expect(upload.status).toBe(200);
  const shown = await show();
  const [included] = shown.body?.included ?? [];
  expect(included).toMatchObject({ type: 'workspace-readme', attributes: { 'raw-markdown': '# Network' } });
  expect(shown.item.relationships['readme']).toEqual({ data: { type: 'workspace-readme', id: included?.id } });
});
