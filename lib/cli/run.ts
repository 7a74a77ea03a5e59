import { CommanderError } from 'commander';
import type { Secret } from '#core/secret.ts';
import { type Context, openContext } from './context.ts';
import { explained } from './explain.ts';
import { type Exit, exitCodes } from './failure.ts';
import type { Host } from './host.ts';
import { formatted } from './output/format.ts';
import { redacted } from './output/redact.ts';
import type { Result } from './output/result.ts';
import { hasColours, paintStatus, styled } from './output/style.ts';
import { shown } from './output/table.ts';
import { buildProgram } from './program.ts';
import { questionsTo } from './questions/questions.ts';
import { type Flags, readSettings } from './settings/settings.ts';
import type { Given, Verb } from './verb.ts';

/** Runs one command line. Returns the exit code; never throws. */
export async function run(host: Host): Promise<number> {
  const secrets = new Set<Secret>();
  let exit: Exit = 'done';
  let verbName = '';
  const report = (error: unknown) => {
    const { message, next, exit: code } = explained(error, verbName);
    const isColoured = hasColours(host.errors, host.environment);
    // Several lines, one for each field, are ours.
    const lines = redacted(message, secrets).split('\n').map(shown).join('\n');
    host.errors.write(`${styled('red', 'keyferry:', isColoured)} ${lines}\n  next: ${redacted(next, secrets)}\n`);
    exit = host.signal.aborted ? 'interrupted' : code;
  };
  const perform = async (verb: Verb, given: Given, flags: Flags) => {
    verbName = verb.name;
    const context = await contextOf(host, flags, secrets);
    const result = await verb.run(context, given);
    if (result === undefined) return;
    await context.show(result);
    exit = result.exit ?? 'done';
  };
  try {
    const program = await buildProgram(host, perform);
    await program.parseAsync(host.argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    report(error);
  }
  return exitCodes[exit];
}

async function contextOf(host: Host, flags: Flags, secrets: Set<Secret>): Promise<Context> {
  const settings = await readSettings(host, flags);
  return openContext({
    host,
    settings,
    questions: questionsTo(host),
    conceal: (secret) => secrets.add(secret),
    say: (line) => host.errors.write(`${redacted(line, secrets).split('\n').map(shown).join('\n')}\n`),
    show: (result) => show(host, settings.format, result),
  });
}

async function show(host: Host, format: Parameters<typeof formatted>[1], result: Result): Promise<void> {
  if (result.kind === 'text') {
    host.output.write(result.text);
    return;
  }
  host.output.write(await formatted(result, format, paintStatus(hasColours(host.output, host.environment))));
}
