import type { Secret } from '#core/secret.ts';
import { CommandFailure, type Exit } from '../failure.ts';
import type { Host } from '../host.ts';
import { redacted } from '../output/redact.ts';
import { hasColours, styled } from '../output/style.ts';
import { shown } from '../output/table.ts';
import { explained } from './explain.ts';

/** Tells on standard error why a command failed and which command is next. Returns how the program ends. */
export function report(host: Host, error: unknown, verbName: string, secrets: Iterable<Secret>): Exit {
  const { message, next, exit } = host.signal.aborted ? interruptedBy(error, verbName) : explained(error, verbName);
  const isColoured = hasColours(host.errors, host.environment);
  // Several lines, one for each field, are ours.
  const lines = redacted(message, secrets).split('\n').map(shown).join('\n');
  host.errors.write(`${styled('red', 'keyferry:', isColoured)} ${lines}\n  next: ${redacted(next, secrets)}\n`);
  return exit;
}

/** Whatever the interruption broke off, the user knows why. */
const interruptedBy = (error: unknown, verbName: string): CommandFailure =>
  error instanceof CommandFailure && error.exit === 'interrupted'
    ? error
    : new CommandFailure('interrupted', 'interrupted', `keyferry ${verbName} --help`.replace('  ', ' '));
