import { spawnSync } from 'node:child_process';
import { findPooler, type PoolerRelease } from '#infra/local/pooler/program.ts';

/**
 * `npm run test:pooler`: end-to-end tests with PgBouncer before PostgreSQL, in transaction mode and with fewer connections than the
 * service has. One release does not support prepared statements, the other does. When a release is not available, the reason is printed.
 */
const files: Readonly<Record<PoolerRelease, readonly string[]>> = {
  '1.18': [
    'test/flow/sync/associations',
    'test/flow/backup',
    'test/flow/auth/tokens',
    'test/flow/namespaces/lifecycle.test.ts',
  ],
  '1.24': ['test/flow/sync/associations', 'test/flow/sync/destinations/purge/purge.test.ts'],
};

for (const [release, paths] of Object.entries(files)) {
  if (release !== '1.18' && release !== '1.24') continue;
  const program = await findPooler(release);
  if (typeof program === 'string') {
    process.stderr.write(`skipped: ${program}\n`);
    continue;
  }
  process.stderr.write(`through PgBouncer ${release}\n`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...paths];
  const env = { ...process.env, KEYFERRY_TEST_POOLER: release };
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) process.exit(status ?? 1);
}
