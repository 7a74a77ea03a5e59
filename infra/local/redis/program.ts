import { spawnSync } from 'node:child_process';
import { isRoot } from '../account.ts';

/** The name of a Redis or Valkey on PATH. */
export function findServer(): string | undefined {
  return ['redis-server', 'valkey-server'].find((name) => spawnSync(name, ['--version']).status === 0);
}

/** @throws Error that names the package to install if apt cannot install it */
export function installServer(): string {
  const haveApt = spawnSync('apt-get', ['--version']).status === 0;
  if (!isRoot || !haveApt) {
    throw new Error(
      'no Redis found: install the package redis-server or valkey-server (Debian, Ubuntu: "sudo apt-get install redis-server"), or set REDIS_URL',
    );
  }
  process.stderr.write('installing redis-server with apt-get ...\n');
  // This run level keeps apt from starting the service: we start a private one.
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const limits = { env, encoding: 'utf8', timeout: 300_000 } as const;
  spawnSync('apt-get', ['update'], limits);
  const done = spawnSync('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], limits);
  const found = findServer();
  if (done.status !== 0 || found === undefined) {
    throw new Error(`apt-get could not install redis-server:\n${done.stderr}\nInstall it by hand, or set REDIS_URL`);
  }
  return found;
}
