import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { isRoot } from '../account.ts';
import { exists } from '../postgres/programs.ts';

/** A PgBouncer that runs with the libraries of its own release of Debian, independent of those of the machine. */
export interface PoolerProgram {
  readonly command: string;
  readonly args: readonly string[];
}

interface Release {
  /** The release of Debian. */
  readonly suite: string;
  readonly libraries: readonly string[];
}

/** The oldest release in wide use, and one that supports prepared statements (since 1.21). */
const poolerReleases = {
  '1.18': {
    suite: 'bookworm',
    libraries: ['libevent-2.1-7', 'libc-ares2', 'libssl3', 'libgcrypt20', 'libgpg-error0', 'liblz4-1', 'liblzma5'],
  },
  '1.24': { suite: 'trixie', libraries: ['libevent-2.1-7t64', 'libcares2', 'libssl3t64', 'zlib1g'] },
} as const satisfies Readonly<Record<string, Release>>;

export type PoolerRelease = keyof typeof poolerReleases;

export const isPoolerRelease = (text: string): text is PoolerRelease => Object.hasOwn(poolerReleases, text);

const sharedLibraries = ['libc6', 'libpam0g', 'libaudit1', 'libcap-ng0', 'libsystemd0', 'libcap2', 'libzstd1'];

/** A permanent folder for programs that tests need, which the user of servers can enter. Checkouts share it where it is root's. */
export const programCache = isRoot ? '/var/cache/keyferry' : resolve('node_modules/.cache/keyferry');
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const msMax = 120_000;

/** The program of a release, downloaded from Debian with apt if it is missing; or the reason why it is not available. */
export async function findPooler(release: PoolerRelease): Promise<PoolerProgram | string> {
  const folder = join(programCache, `pgbouncer-${release}`);
  if (!(await exists(folder))) {
    const problem = await download(release, folder);
    if (problem !== undefined) return `PgBouncer ${release} is not available: ${problem}`;
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const loader = files.find((name) => /(^|\/)ld-linux-[^/]+\.so\.\d$/.test(name));
  if (loader === undefined) return `${folder} is incomplete: remove it`;
  const libraries = new Set(files.filter((name) => /\.so\.\d+$/.test(name)).map((name) => join(folder, name, '..')));
  return {
    command: join(folder, loader),
    args: ['--library-path', [...libraries].join(':'), join(folder, 'usr/sbin/pgbouncer')],
  };
}

/** Uses an apt configuration of our own, which neither reads nor changes installed packages; it verifies the signatures of the archive. */
async function download(release: PoolerRelease, folder: string): Promise<string | undefined> {
  const { suite, libraries } = poolerReleases[release];
  if (!(await exists(keyring))) return 'this is not Debian, or the package debian-archive-keyring is missing';
  const work = await mkdtemp(join(tmpdir(), 'keyferry-apt-'));
  try {
    const apt = prepareApt(work, suite);
    run(work, 'apt-get', [...apt, 'update']);
    run(work, 'apt-get', [...apt, 'download', 'pgbouncer', ...libraries, ...sharedLibraries]);
    const unpacked = join(work, 'unpacked');
    for (const name of readdirSync(work).filter((file) => file.endsWith('.deb'))) {
      run(work, 'dpkg-deb', ['-x', name, unpacked]);
    }
    mkdirSync(programCache, { recursive: true, mode: 0o755 });
    moveTo(folder, unpacked);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function prepareApt(work: string, suite: string): readonly string[] {
  for (const name of ['lists/partial', 'archives/partial']) mkdirSync(join(work, name), { recursive: true });
  writeFileSync(join(work, 'status'), '');
  writeFileSync(join(work, 'sources'), `deb [signed-by=${keyring}] http://deb.debian.org/debian ${suite} main\n`);
  const options = {
    'Dir::Etc::SourceList': join(work, 'sources'),
    'Dir::Etc::SourceParts': '/dev/null',
    'Dir::State::Lists': join(work, 'lists'),
    'Dir::State::status': join(work, 'status'),
    'Dir::Cache': work,
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    ...(isRoot ? { 'APT::Sandbox::User': 'root' } : {}),
  };
  return ['-q', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
}

/** @throws Error with the last line of the command's output */
function run(cwd: string, command: string, args: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: msMax });
  if (status === 0) return;
  throw new Error(`${command} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
}

/** Atomic; another run may have finished first. The temporary folder may be in another file system. */
function moveTo(folder: string, unpacked: string): void {
  const beside = `${folder}.${process.pid}`;
  run('/', 'cp', ['-r', unpacked, beside]);
  run('/', 'chmod', ['-R', 'a+rX', beside]);
  try {
    renameSync(beside, folder);
  } catch {
    rmSync(beside, { recursive: true, force: true });
  }
}
