import { CallFailure } from '#client/wire/failure.ts';
import { CommandFailure } from '../failure.ts';

/** Any error as one with an exit code and a next command. */
export function explained(error: unknown, verb: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof CallFailure) return ofCall(error, verb);
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFailure('failed', message, `keyferry ${verb} --help`);
}

function ofCall(failure: CallFailure, verb: string): CommandFailure {
  const problems = failure.problems.map(({ field, message }) => `\n  ${field}: ${message}`).join('');
  const message = `${failure.message}${problems}${failure.status === 0 ? '' : ` (${failure.status}, ${failure.request})`}`;
  if (failure.isTokenInvalid) return new CommandFailure('token', message, 'keyferry login');
  if (failure.isSealed) return new CommandFailure('sealed', message, 'keyferry unseal');
  if (failure.status === 403) return new CommandFailure('token', message, `keyferry whoami ${pathIn(failure)}`.trim());
  if (failure.status === 0) return ofConnection(failure, message);
  return new CommandFailure('failed', message, `keyferry ${verb} --help`);
}

function ofConnection({ kind }: CallFailure, message: string): CommandFailure {
  if (kind === 'timeout') return new CommandFailure('timedOut', message, 'keyferry status');
  if (kind === 'cancelled') return new CommandFailure('interrupted', message, 'keyferry status');
  return new CommandFailure('failed', message, 'keyferry status');
}

/** The path that the caller's policies refuse, as `whoami` takes it. */
const pathIn = ({ request }: CallFailure): string => / \/v1\/(\S+)$/.exec(request)?.[1] ?? '';
