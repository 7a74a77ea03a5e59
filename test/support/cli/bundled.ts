import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram } from '#infra/package/command-line/bundle.ts';
import { patience } from '../measures/patience.ts';
import type { Printed } from './line.ts';

/** The bundled program in a folder of its own, which is the working directory, the home and on the path of its commands. */
export interface Bundled {
  readonly folder: string;
  /** Runs a line of a shell. */
  shell(line: string, environment: Readonly<Record<string, string>>): Promise<Printed>;
  close(): Promise<void>;
}

export async function bundledProgram(): Promise<Bundled> {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-program-'));
  const file = join(folder, 'bin/keyferry.cjs');
  await mkdir(join(folder, 'bin'));
  await bundleProgram(file);
  await writeFile(join(folder, 'bin/keyferry'), `#!/bin/sh\nexec '${process.execPath}' '${file}' "$@"\n`, {
    mode: 0o755,
  });
  return {
    folder,
    shell: (line, environment) => shell(line, folder, environment),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function shell(line: string, folder: string, environment: Readonly<Record<string, string>>): Promise<Printed> {
  const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, HOME: folder, ...environment };
  const child = spawn('bash', ['-euo', 'pipefail', '-c', line], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patience.conditionMs,
  });
  const printed = { output: '', errors: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    printed.output += part;
  });
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    printed.errors += part;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? -1, ...printed }));
  });
}
