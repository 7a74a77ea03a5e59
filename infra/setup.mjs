// Runs on the Node of the host (20 or later), before anything is installed: plain JavaScript without imports from the project.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.keyferry-installed');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

/** The installed packages are valid as long as the lock file, the system and the processor are the same. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
}

function isInstalled() {
  if (!existsSync(pinnedNode)) return false;
  if (existsSync(stampFile)) return readFileSync(stampFile, 'utf8') === wantedStamp();
  return isInstalledByNpm();
}

/** A plain `npm ci` leaves no stamp, but its own list of installed packages. */
function isInstalledByNpm() {
  const list = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(list)) return false;
  const installed = packagesOf(list);
  const { '': _root, ...wanted } = packagesOf(join(root, 'package-lock.json'));
  const isSame = (path) =>
    installed[path]?.version === wanted[path]?.version && installed[path]?.integrity === wanted[path]?.integrity;
  const paths = [...Object.keys(installed), ...Object.keys(wanted).filter((path) => isForThisSystem(wanted[path]))];
  if (!paths.every(isSame) || !runsPinnedNode()) return false;
  writeFileSync(stampFile, wantedStamp());
  return true;
}

const packagesOf = (file) => JSON.parse(readFileSync(file, 'utf8')).packages;

/** npm omits optional packages for other systems; the choice by C library is left to npm. */
function isForThisSystem({ optional, os, cpu, libc }) {
  if (optional !== true) return true;
  return libc === undefined && os?.includes(process.platform) === true && (cpu?.includes(process.arch) ?? true);
}

function runsPinnedNode() {
  return spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v24.') === true;
}

function fail(problem) {
  process.stderr.write(`keyferry: ${problem}\n`);
  process.exit(1);
}

if (!isInstalled()) {
  process.stderr.write('installing dependencies (npm ci) ...\n');
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (done.error !== undefined) fail(`npm cannot be run (${done.error.message}): install Node.js 20 or later with npm`);
  if (done.status !== 0) fail('npm ci failed: its messages are above; run the command again when they are dealt with');
  if (!runsPinnedNode()) {
    fail('the pinned Node 24 does not run: its install script may have been blocked; try "npm rebuild node"');
  }
  writeFileSync(stampFile, wantedStamp());
}
