import { explanationOf } from '#client/explanation.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { CommandFailure } from '../failure.ts';

/** Commands about one thing of a list, besides those of the groups that have a command `list`. */
const aboutDestinations: ReadonlySet<string> = new Set([
  'plan',
  'drift',
  'foreign',
  'sync',
  'unsync',
  'pause',
  'resume',
  'wait',
]);
const withList: ReadonlySet<string> = new Set([
  ...['policies', 'tokens', 'audit', 'destinations', 'records', 'batches', 'rules', 'notifications', 'workspaces'],
]);

const isMissing = ({ status, errors }: CallFailure): boolean => status === 404 && errors.length === 0;

/** The command that shows what is there instead of what was not found. */
function listFor(verb: string): string | undefined {
  const [group = ''] = verb.split(' ');
  if (aboutDestinations.has(group)) return 'keyferry destinations list';
  return withList.has(group) ? `keyferry ${group} list` : undefined;
}

/** Any error as one with an exit code and a next command. */
export function explained(error: unknown, verb: string): CommandFailure {
  if (error instanceof CommandFailure) return error;
  if (error instanceof CallFailure) {
    const { outcome, message, next } = explanationOf(error, verb);
    return new CommandFailure(outcome, message, isMissing(error) ? (listFor(verb) ?? next) : next);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new CommandFailure('failed', message, `keyferry ${verb} --help`);
}
