import type { CallFailure } from './wire/failure.ts';

/** Why a call failed, and the command that helps. */
export interface Explanation {
  readonly outcome: 'failed' | 'token' | 'sealed' | 'timedOut' | 'interrupted';
  readonly message: string;
  readonly next: string;
}

/** @param verb the command that made the call, such as `records list` */
export function explanationOf(failure: CallFailure, verb: string): Explanation {
  const unsaid = failure.problems.filter(({ message }) => !failure.message.includes(message));
  const problems = unsaid.map(({ field, message }) => `\n  ${field}: ${message}`).join('');
  const message = `${failure.message}${problems}${failure.status === 0 ? '' : ` (${failure.status}, ${failure.request})`}`;
  if (failure.isTokenInvalid) return { outcome: 'token', message, next: 'keyferry login' };
  if (failure.isSealed) return { outcome: 'sealed', message, next: 'keyferry unseal' };
  if (failure.status === 403) return { outcome: 'token', message, next: `keyferry whoami ${pathIn(failure)}`.trim() };
  if (failure.status !== 0 && failure.isPassing)
    return { outcome: 'failed', message, next: verb === 'doctor' ? 'keyferry status' : 'keyferry doctor' };
  if (failure.errors.includes('namespace not found'))
    return { outcome: 'failed', message, next: 'keyferry api LIST sys/namespaces --namespace ""' };
  if (failure.status === 0) return { outcome: ofConnection(failure), message, next: 'keyferry status' };
  return { outcome: 'failed', message, next: `keyferry ${verb} --help` };
}

function ofConnection({ kind }: CallFailure): Explanation['outcome'] {
  if (kind === 'timeout') return 'timedOut';
  return kind === 'cancelled' ? 'interrupted' : 'failed';
}

/** The path that the caller's policies refuse, as `whoami` takes it. */
const pathIn = ({ request }: CallFailure): string => / \/v1\/(\S+)$/.exec(request)?.[1] ?? '';
