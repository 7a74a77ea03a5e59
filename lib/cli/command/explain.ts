import { explanationOf } from '#client/explanation.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { CommandFailure } from '../failure.ts';

/** Any error as one with an exit code and a next command. */
export function explained(error: unknown, verb: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof CallFailure) {
    const { outcome, message, next } = explanationOf(error, verb);
    return new CommandFailure(outcome, message, next);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFailure('failed', message, `keyferry ${verb} --help`);
}
