import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The setting of this process with the folder of the run. Node's own would reach what tests start otherwise, such as measures of coverage. */
const setting = 'KEYFERRY_TEST_COMPILE_CACHE';

const program = fileURLToPath(new URL('../../../infra/commands/serve.ts', import.meta.url));

/** Makes all programs that later tests start share this folder. */
export function shareCompileCache(folder: string): void {
  process.env[setting] = folder;
}

/** Fills the folder by a start that a wrong setting ends. Node writes compiled code at the end of a process, and tests kill most of theirs. */
export async function fillCompileCache(): Promise<void> {
  const env = { PATH: process.env['PATH'], ...compileCache(), PORT: 'none' };
  await once(spawn(process.execPath, [program], { stdio: 'ignore', env }), 'exit');
}

/**
 * Environment with which a program takes its compiled code from the run's folder, where an earlier one has left it: most of the processor
 * time of a start is stripping and compiling its files. Empty outside a run.
 */
export function compileCache(): Readonly<Record<string, string>> {
  const folder = process.env[setting];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
