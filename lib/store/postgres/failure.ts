import { AppError, badRequest, notFound } from '#core/errors.ts';
import { Unstorable } from '#core/json/unstorable.ts';
import { ConnectRefusal } from './refusal.ts';

/** What a failed query means. `unusable`: the connection must not go back to the pool. */
export interface StoreFailure {
  readonly error: unknown;
  readonly unusable: boolean;
}

/** SQLSTATE (PostgreSQL documentation, appendix A) or system error code → why there is no answer. */
const unavailable: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'it refuses connections',
  ECONNRESET: 'the connection was lost',
  ECONNABORTED: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its network cannot be reached',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name cannot be looked up',
  '25006': 'it is read-only',
  '25P03': 'the transaction was idle for too long',
  '26000': 'a pooler shares its connections',
  '28000': 'it refuses the login',
  '28P01': 'it refuses the login',
  '3D000': 'it does not exist',
  '40001': 'concurrent changes collided',
  '40P01': 'concurrent changes waited for each other',
  '42P05': 'a pooler shares its connections',
  '53100': 'its disk is full',
  '53200': 'it is out of memory',
  '53300': 'it has too many connections',
  '55P03': 'a lock was not released in time',
  '57014': 'the statement took too long',
  '57P01': 'it is being shut down',
  '57P02': 'it crashed',
  '57P03': 'it is starting or stopping',
  '57P05': 'the connection was idle for too long',
};

/**
 * After these codes the connection is still usable; after all others it is lost or hangs. `25006` (read-only) is not in this set:
 * another server has taken over or soon will, and a new connection finds it.
 */
const usable = new Set(['26000', '40001', '40P01', '42P05', '53100', '53200', '55P03', '57014']);

const noneFree = 'no connection was free in time';

/** Messages of `pg` errors that have no code. */
const withoutCode: readonly (readonly [start: string, why: string])[] = [
  ['Connection terminated', 'the connection was lost'],
  ['Client has encountered a connection error', 'the connection was lost'],
  ['Client was closed', 'the connection was lost'],
  ['Query read timeout', 'it does not answer'],
  ['timeout expired', 'it does not answer'],
  ['timeout exceeded when trying to connect', noneFree],
  ['The server does not support SSL connections', 'it does not offer TLS, which sslmode asks for'],
  ['There was an error establishing an SSL connection', 'it does not offer TLS, which sslmode asks for'],
  ['SASL: ', 'it does not log in as PostgreSQL does, or has no password to log in with'],
  ['Cannot use a pool after calling end', 'the store is closed'],
];

/** Input errors that only PostgreSQL can detect; they are the caller's mistake. */
const refused: Readonly<Record<string, string>> = {
  '22003': 'a number is outside the range that can be stored',
  '54000': 'a name or path is too long',
};

const unstorable = new Set(['22021', '22P05']);

/** Raised by the triggers that guard rows of a namespace. */
const namespaceGone = 'KF404';

/** Another client of the pooler prepared the statement, or it was prepared on another server. It runs when sent without a name. */
const refusedNames = new Set(['26000', '42P05']);

/** Serialisation failure, deadlock, refused statement name: the same work may succeed when repeated. */
const repeatable = new Set(['40001', '40P01', ...refusedNames]);

/**
 * Classifies the error of a query. Trouble with the database becomes `unavailable`, input that it cannot store `bad-request`, a
 * deleted namespace `not-found`; any other error, such as a violated constraint, is passed on unchanged.
 */
export function queryFailure(cause: unknown): StoreFailure {
  const code = codeOf(cause);
  const input = refused[code];
  if (input !== undefined) return { error: badRequest(input, { cause }), unusable: false };
  if (unstorable.has(code)) return { error: new Unstorable({ cause }), unusable: false };
  if (code === namespaceGone) return { error: notFound(['namespace not found']), unusable: false };
  if (isOutdatedPlan(cause)) return { error: unavailableError('its schema has changed', cause), unusable: false };
  const why = whyUnavailable(code, cause);
  if (why === undefined) return { error: cause, unusable: false };
  return { error: unavailableError(why, cause), unusable: !usable.has(code) };
}

/** Classifies an error of opening or waiting for a connection: always `unavailable`. */
export function connectFailure(cause: unknown): StoreFailure {
  const why = whyNoConnection(cause);
  return { error: unavailableError(why, cause), unusable: why !== noneFree };
}

/** Why a connection failed, as one clause without secrets. */
export function whyNoConnection(cause: unknown): string {
  if (cause instanceof ConnectRefusal) return cause.message;
  return whyUnavailable(codeOf(cause), cause) ?? whyUntrusted(codeOf(cause)) ?? 'no connection could be opened';
}

/** Certificate and key errors of TLS, by the codes of Node and OpenSSL. */
function whyUntrusted(code: string): string | undefined {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'its certificate is for another host name';
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (untrusted.test(code)) return `its certificate is not signed by an authority that is trusted here (${code})`;
  if (/^ERR_(?:OSSL|SSL|TLS)_/.test(code)) return `TLS failed (${code})`;
  return undefined;
}

const untrusted =
  /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|INVALID_CA|ERROR_IN_CERT)/;

export const isRepeatable = (error: unknown): boolean =>
  error instanceof AppError &&
  error.kind === 'unavailable' &&
  (repeatable.has(codeOf(error.cause)) || isOutdatedPlan(error.cause));

export const isRefusedName = (cause: unknown): boolean => refusedNames.has(codeOf(cause));

/** The server accepts no writes: it is a standby, or was made read-only. */
export const isReadOnly = (cause: unknown): boolean => codeOf(cause) === '25006';

/** Another transaction held a lock for longer than `lock_timeout`. */
export const isLockTimeout = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unavailable' && codeOf(error.cause) === '55P03';

/** The database serves nothing at all, so retrying the items of a failed batch one by one is pointless. */
export const isAway = (error: unknown): boolean =>
  error instanceof AppError && error.kind === 'unavailable' && !isRepeatable(error);

function whyUnavailable(code: string, cause: unknown): string | undefined {
  if (code !== '') return unavailable[code] ?? (code.startsWith('08') ? 'the connection was lost' : undefined);
  const message = cause instanceof Error ? cause.message : '';
  return withoutCode.find(([start]) => message.startsWith(start))?.[1];
}

const unavailableError = (why: string, cause: unknown): AppError =>
  new AppError('unavailable', `the database cannot serve this now: ${why}`, { cause });

/**
 * A migration by a newer process has changed the result columns of a prepared statement. A pooler that keeps statements offers
 * the old one to new connections too; sent without a name, the statement is planned again.
 */
export const isOutdatedPlan = (cause: unknown): boolean =>
  codeOf(cause) === '0A000' && cause instanceof Error && cause.message.startsWith('cached plan');

export function codeOf(cause: unknown): string {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return '';
  return typeof cause.code === 'string' ? cause.code : '';
}
