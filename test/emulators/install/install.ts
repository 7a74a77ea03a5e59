import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { Unavailable } from '../trials/trial.ts';

const installMsMax = 240_000;
const outputBytesMax = 16 * 1024 * 1024;

/** A virtual environment with these packages. Resolves to its folder of programs. */
export async function installPython(folder: string, packages: readonly string[]): Promise<string> {
  const path = await installed(folder, packages, async (at) => {
    await run('python3', ['-m', 'venv', at]);
    await run(join(at, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  });
  return join(path, 'bin');
}

/** Installs npm packages separately from those of the project: some have hundreds of megabytes. Resolves to their folder. */
export async function installNpm(folder: string, packages: readonly string[]): Promise<string> {
  return installed(folder, packages, async (at) => {
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'package.json'), '{"private":true}\n');
    await run('npm', ['install', '--prefix', at, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  });
}

/** Installs programs of one version of a Go module. Resolves to their folder. */
export async function installGo(folder: string, packages: readonly string[]): Promise<string> {
  return installed(folder, packages, async (at) => {
    await run('go', ['install', ...packages], { environment: { GOBIN: at } });
  });
}

const copyArtifact = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';

/** Installs an executable jar by its coordinates (`group:artifact:version`). Resolves to its path. */
export async function installJar(folder: string, coordinates: string): Promise<string> {
  const [, artifact, version] = coordinates.split(':');
  const path = await installed(folder, [coordinates], async (at) => {
    // Maven would otherwise cache a missing artifact for a day.
    const options = ['--batch-mode', '--quiet', '--update-snapshots'];
    await run('mvn', [copyArtifact, `-Dartifact=${coordinates}`, `-DoutputDirectory=${at}`, ...options]);
  });
  return join(path, `${artifact}-${version}.jar`);
}

/** A file with the list of packages shows that they are already installed. */
async function installed(folder: string, packages: readonly string[], install: (at: string) => Promise<void>) {
  const list = packages.join('\n');
  const path = `${folder}-${createHash('sha256').update(list).digest('hex').slice(0, 8)}`;
  const complete = join(path, '.complete');
  if ((await readFile(complete, 'utf8').catch(() => '')) === list) return path;
  await install(path);
  await writeFile(complete, list);
  return path;
}

interface Run {
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /** The stream with the output of interest. */
  readonly from?: 'stdout' | 'stderr';
}

/** Runs a program for at most some minutes. @throws Unavailable when it is missing or fails */
export function run(program: string, args: readonly string[], { environment, from = 'stdout' }: Run = {}) {
  return new Promise<string>((resolve, reject) => {
    const limits = { timeout: installMsMax, killSignal: 'SIGKILL', maxBuffer: outputBytesMax } as const;
    const options = { ...limits, env: { ...process.env, ...environment } };
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(from === 'stdout' ? stdout : stderr);
      const why = reasonOf(stdout, stderr) ?? error.message;
      const text = error.code === 'ENOENT' ? `${program} is not on this machine` : `${program} ${args[0]}: ${why}`;
      reject(new Unavailable(text, { cause: error }));
    });
  });
}

const reasonLengthMax = 400;

/** Why a program failed: for most the end of stderr, for Maven the first of its errors on stdout. */
export function reasonOf(stdout: string, stderr: string): string | undefined {
  const ofMaven = /^\[ERROR\] +(?:Failed to execute goal .*? on project [^:]+: )?(\S.*)$/m.exec(
    stripVTControlCharacters(stdout),
  )?.[1];
  // An indented line continues the line before.
  const [last = ''] = stripVTControlCharacters(stderr)
    .trim()
    .split(/\n(?!\s)/)
    .slice(-1);
  return (ofMaven ?? last.replaceAll(/\s+/g, ' ')).slice(0, reasonLengthMax) || undefined;
}
