// Runs on whatever Node the host has (20 or later), before anything is installed: plain JavaScript without imports from the project.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stampFile = join(root, 'node_modules', '.keyferry-installed');
const pinnedNode = join(root, 'node_modules', '.bin', 'node');

/** What is installed fits while the lock file, the system and the processor are the same. */
function wantedStamp() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform} ${process.arch}`;
}

function isInstalled() {
  return existsSync(stampFile) && readFileSync(stampFile, 'utf8') === wantedStamp() && existsSync(pinnedNode);
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
  const version = spawnSync(pinnedNode, ['--version'], { encoding: 'utf8' });
  if (!version.stdout?.startsWith('v24.')) {
    fail('the pinned Node 24 does not run: its install script may have been blocked; try "npm rebuild node"');
  }
  writeFileSync(stampFile, wantedStamp());
}
