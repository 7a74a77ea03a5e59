import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * `npm run test:oldest-postgres`: runs the tests of the store and the backup, and the demo, on the oldest supported PostgreSQL. When it is
 * missing, root installs Debian's package with apt; otherwise the reason is printed.
 */
const folder = '/usr/lib/postgresql/15';
const packageName = 'postgresql-15';
const aptMsMax = 300_000;

const reason = existsSync(`${folder}/bin/postgres`) ? undefined : install();
if (reason !== undefined) {
  process.stderr.write(`PostgreSQL 15 is skipped: ${reason}\n`);
  process.exit(0);
}
for (const args of [
  ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/vitest.config.ts', 'test/store', 'test/flow/backup'],
  ['infra/demo/main.ts'],
]) {
  const env = { ...process.env, KEYFERRY_POSTGRES_DIR: folder };
  const { status } = spawnSync(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'], env });
  if (status !== 0) process.exit(status ?? 1);
}

/** Returns the reason when it cannot be installed. */
function install(): string | undefined {
  if (process.getuid?.() !== 0) return `it is not in ${folder}, and only root can install it`;
  if (spawnSync('apt-get', ['--version']).status !== 0) return `it is not in ${folder}, and there is no apt-get`;
  // Run level 1 keeps Debian from starting the server: the tests start their own.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const options = { env, encoding: 'utf8', timeout: aptMsMax } as const;
  spawnSync('apt-get', ['update'], options);
  const { status, stderr } = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', packageName], options);
  return status === 0 ? undefined : `apt-get could not install ${packageName}: ${stderr.trim().split('\n').at(-1)}`;
}
