import { CommanderError } from 'commander';
import type { Secret } from '#core/secret.ts';
import { type Exit, exitCodes } from './failure.ts';
import type { Host } from './host.ts';
import { buildProgram } from './program.ts';
import type { Flags } from './settings/settings.ts';
import type { Given, Verb } from './verb.ts';

/** Runs one command line. Returns the exit code; never throws. */
export async function run(host: Host): Promise<number> {
  const secrets = new Set<Secret>();
  let exit: Exit = 'done';
  let verbName = '';
  const perform = async (verb: Verb, given: Given, flags: Flags) => {
    verbName = verb.name;
    exit = await (await import('./command/perform.ts')).perform(host, secrets, verb, given, flags);
  };
  try {
    const program = await buildProgram(host, perform);
    await program.parseAsync(host.argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    const { report } = await import('./command/report.ts');
    exit = report(host, error, verbName, secrets);
  }
  return exitCodes[exit];
}
