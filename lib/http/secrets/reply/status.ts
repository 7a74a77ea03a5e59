import type { ErrorKind } from '../../../core/errors.ts';

/** Kind of error to HTTP status: the only file that knows the numbers. */
const statuses = {
  'bad-request': 400,
  'already-exists': 400,
  'permission-denied': 403,
  'not-found': 404,
  'unsupported-path': 404,
  'unsupported-operation': 405,
  'too-large': 413,
  'unsupported-media': 415,
  'too-many-requests': 429,
  sealed: 503,
  unavailable: 503,
  upstream: 502,
  internal: 500,
} as const satisfies Record<ErrorKind, number>;

export const statusOf = (kind: ErrorKind): number => statuses[kind];

/** Statuses of answers that are not errors of a handler. */
export const status = { ok: 200, noContent: 204, movedPermanently: 301, notFound: 404 } as const;
