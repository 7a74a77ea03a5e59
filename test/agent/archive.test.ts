import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { unpack } from '#agent/run/archive.ts';
import { packed } from '../workspaces/support/packed.ts';

async function into(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-archive-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
const replyOf = (bytes: Uint8Array) => new Response(new Uint8Array(bytes));

test('what follows the end of an archive does not matter', async () => {
  const archive = gunzipSync(await packed({ 'main.tf': 'text' }));
  const padded = gzipSync(Buffer.concat([archive, Buffer.alloc(4 * 1024 * 1024)]));
  for (let round = 0; round < 30; round += 1) {
    const folder = await into();
    await unpack(replyOf(padded), folder, 8 * 1024 * 1024);
    expect(await readFile(join(folder, 'main.tf'), 'utf8')).toBe('text');
  }
});

test('an archive that is cut, damaged or too large is refused with the reason', async () => {
  const archive = await packed({ 'main.tf': 'x'.repeat(100_000), 'more.tf': Buffer.alloc(50_000, 'y') });
  const unreadable = 'The archive of the configuration cannot be unpacked.';
  for (const bytes of [archive.subarray(0, -9), archive.subarray(0, 40), Buffer.from('no archive')])
    await expect(unpack(replyOf(bytes), await into(), 1_000_000)).rejects.toThrow(unreadable);
  await expect(unpack(replyOf(archive), await into(), 120_000)).rejects.toThrow('more than 120000 bytes');
});
