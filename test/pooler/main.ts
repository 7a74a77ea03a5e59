import { spawnSync } from 'node:child_process';
import { findPooler, type PoolerRelease } from '../../infra/local/pooler/program.ts';

/**
 * `npm run test:pooler`: whole ways through the service with PgBouncer before PostgreSQL, in transaction mode with fewer connections than
 * the service has: one release that knows nothing of prepared statements, and one that keeps them. Where a release
 * cannot be had, the reason is printed.
 */
const files: Readonly<Record<PoolerRelease, readonly string[]>> = {
  '1.18': ['test/flow/associations', 'test/flow/backup', 'test/flow/tokens', 'test/flow/namespaces/lifecycle'],
  '1.24': ['test/flow/associations', 'test/flow/destinations/purge'],
};

for (const [release, paths] of Object.entries(files)) {
  if (release !== '1.18' && release !== '1.24') continue;
  const program = await findPooler(release);
  if (typeof program === 'string') {
    process.stderr.write(`not tried: ${program}\n`);
    continue;
  }
  process.stderr.write(`through PgBouncer ${release}\n`);
  const args = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', ...paths];
  const env = { ...process.env, KEYFERRY_TEST_POOLER: release };
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) process.exit(status ?? 1);
}
