import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Unavailable } from './trial.ts';

const installMsMax = 240_000;
const outputBytesMax = 16 * 1024 * 1024;

/** A virtual environment with these packages. Resolves to its folder of programs. */
export async function installPython(folder: string, packages: readonly string[]): Promise<string> {
  const place = await installed(folder, packages, async (at) => {
    await run('python3', ['-m', 'venv', at]);
    await run(join(at, 'bin', 'pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages]);
  });
  return join(place, 'bin');
}

/** npm packages apart from those of the project: some have hundreds of megabytes. Resolves to the folder that holds them. */
export async function installNpm(folder: string, packages: readonly string[]): Promise<string> {
  return installed(folder, packages, async (at) => {
    await mkdir(at, { recursive: true });
    await writeFile(join(at, 'package.json'), '{"private":true}\n');
    await run('npm', ['install', '--prefix', at, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  });
}

/** What is installed already is known by a file that holds the list. */
async function installed(folder: string, packages: readonly string[], install: (at: string) => Promise<void>) {
  const list = packages.join('\n');
  const place = `${folder}-${createHash('sha256').update(list).digest('hex').slice(0, 8)}`;
  const complete = join(place, '.complete');
  if ((await readFile(complete, 'utf8').catch(() => '')) === list) return place;
  await install(place);
  await writeFile(complete, list);
  return place;
}

/** Ends the program after some minutes. @throws Unavailable when it is not there or does not succeed */
export function run(program: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: installMsMax, killSignal: 'SIGKILL', maxBuffer: outputBytesMax } as const;
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const [why = error.message] = stderr.trim().split('\n').slice(-1);
      const text = error.code === 'ENOENT' ? `${program} is not on this machine` : `${program} ${args[0]}: ${why}`;
      reject(new Unavailable(text, { cause: error }));
    });
  });
}
