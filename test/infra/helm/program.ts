import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';
import { programCache } from '#infra/local/pooler/program.ts';

/** The same version on every machine, so that all render the same. */
const version = 'v3.22.0';
const goVersion = 'go1.26.8';
const moduleProxy = 'https://proxy.golang.org';
const downloadMsMax = 180_000;
const buildMsMax = 900_000;

/** Digests of the Go toolchain's archives, as the proxy serves them. */
const archives: Readonly<Record<string, string>> = {
  x64: '30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7',
  arm64: '02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99',
};

const folder = join(programCache, 'helm');
const built = join(folder, version, 'helm');

/** The helm 3 on the PATH, or the one that `npm run test:helm` built. Undefined when there is neither. */
export function findHelm(): string | undefined {
  if (existsSync(built)) return built;
  const { stdout } = spawnSync('helm', ['version', '--short'], { encoding: 'utf8' });
  return stdout?.startsWith('v3.') === true ? 'helm' : undefined;
}

/**
 * Builds helm from its sources, which the proxy of Go modules has, where no registry that we use carries it as a program. The
 * Go that it needs comes from there too, unless it is on the path.
 *
 * @throws Error when the proxy cannot be reached, or this machine has no Go
 */
export async function installHelm(): Promise<string> {
  const go = hasGo() ? 'go' : await installGo();
  const home = join(folder, 'go');
  const unfinished = join(folder, `${version}.${process.pid}`);
  const environment = {
    ...process.env,
    GOBIN: unfinished,
    GOPATH: join(home, 'path'),
    GOCACHE: join(home, 'cache'),
    GOTOOLCHAIN: 'local',
    GOFLAGS: '-modcacherw',
    CGO_ENABLED: '0',
  };
  execFileSync(go, ['install', '-ldflags=-s -w', `helm.sh/helm/v3/cmd/helm@${version}`], {
    env: environment,
    timeout: buildMsMax,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await rm(dirname(built), { recursive: true, force: true });
  await rename(unfinished, dirname(built));
  await rm(home, { recursive: true, force: true });
  return built;
}

/** Whether this machine has a Go that can build helm. */
function hasGo(): boolean {
  const { stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  const [, minor = '0'] = /^go1\.(\d+)/.exec(stdout ?? '') ?? [];
  return Number(minor) >= 26;
}

async function installGo(): Promise<string> {
  const digest = archives[process.arch];
  if (process.platform !== 'linux' || digest === undefined) {
    throw new Error(`there is no Go on the path, and none is known for ${process.platform} on ${process.arch}`);
  }
  const name = `golang.org/toolchain@v0.0.1-${goVersion}.linux-${process.arch === 'x64' ? 'amd64' : 'arm64'}`;
  const answer = await fetch(`${moduleProxy}/${name.replace('@', '/@v/')}.zip`, {
    signal: AbortSignal.timeout(downloadMsMax),
  });
  if (!answer.ok) throw new Error(`the module proxy answers ${answer.status} for ${name}`);
  const archive = new Uint8Array(await answer.arrayBuffer());
  const found = createHash('sha256').update(archive).digest('hex');
  if (found !== digest) throw new Error(`${name} has the digest ${found} and not ${digest}`);
  const home = join(folder, 'go', 'toolchain');
  const path = join(home, 'bin', 'go');
  const unpacked = `${home}.new`;
  for (const [file, bytes] of Object.entries(unzipSync(archive))) {
    const target = join(unpacked, file.slice(name.length + 1));
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, bytes);
    if (/(^|\/)(bin|tool\/[^/]+)\/[^/]+$/.test(file)) await chmod(target, 0o755);
  }
  await rm(home, { recursive: true, force: true });
  await rename(unpacked, home);
  return path;
}
