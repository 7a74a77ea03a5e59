import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { definitions } from '#destinations/index.ts';
import { patience } from '../support/measures/patience.ts';
import { testDatabase, testRedis } from '../support/services.ts';

const program = new URL('./walk/process.ts', import.meta.url).pathname;

/**
 * The maximum number of files of `lib/` that may take part when one secret is written by HTTP and pushed, and its status is written back.
 * Shared vocabulary and pure observers are not counted, because a reader of the path need not open them. Before you add a file to this path,
 * check that it is a separate idea. The limit is above the longest path, 156 to 158 beside other work, because on a slow machine timers run in every walk.
 */
const filesMax = 164;

const isCounted = (path: string): boolean => !/^lib\/(?:core|telemetry|audit)\//.test(path);

test.each(definitions)('a secret on its way to $type crosses few files', async ({ type }) => {
  const all = await filesOf(type);
  const files = all.filter(isCounted);
  const others = `${all.length - files.length} of lib/core, lib/telemetry and lib/audit not counted`;
  console.info(
    `${files.length} files of lib (${others}) take part in a sync to ${type}:\n${byFolder(files).join('\n')}`,
  );
  expect(files).toContain('lib/http/v1/pipeline.ts');
  expect(files.length).toBeLessThanOrEqual(filesMax);
});

async function filesOf(type: string): Promise<readonly string[]> {
  const { url, prefix } = testRedis();
  const env = {
    ...process.env,
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    KEYFERRY_NETWORK_ALLOWED: 'all',
  };
  const { stdout } = await promisify(execFile)(process.execPath, [program, type], { env, timeout: patience.testMs });
  return z.array(z.string()).parse(JSON.parse(stdout));
}

function byFolder(files: readonly string[]): readonly string[] {
  const folders = Map.groupBy(files, (path) => path.split('/').slice(0, -1).join('/'));
  return [...folders].map(([folder, members]) => {
    const names = members.map((path) => path.slice(folder.length + 1, -'.ts'.length));
    return `${String(members.length).padStart(4)} ${folder}: ${names.join(' ')}`;
  });
}
