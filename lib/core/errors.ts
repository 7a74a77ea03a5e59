/**
 * The kinds of error that a handler may throw. One file maps a kind to an HTTP status (`http/status.ts`);
 * nobody else knows statuses.
 */
export type ErrorKind =
  | 'bad-request'
  | 'permission-denied'
  | 'not-found'
  | 'unsupported-path'
  | 'unsupported-operation'
  | 'too-large'
  | 'unsupported-media'
  | 'too-many-requests'
  | 'upstream'
  | 'sealed'
  | 'unavailable'
  | 'internal';

/** An error that is meant for the caller: its messages go into the reply, so they never hold a secret value. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  /** The texts of the reply's `errors` array. Empty: the reply is `{"errors":[]}`. */
  readonly messages: readonly string[];

  constructor(kind: ErrorKind, messages: string | readonly string[], options?: ErrorOptions) {
    const list = typeof messages === 'string' ? [messages] : messages;
    super(list.join('; '), options);
    this.name = 'AppError';
    this.kind = kind;
    this.messages = list;
  }
}

/** 400 with the bare text. */
export const badRequest = (message: string, options?: ErrorOptions): AppError =>
  new AppError('bad-request', message, options);

/** 403 in the wording of the API family (reference core 1.4). */
export const permissionDenied = (): AppError =>
  new AppError('permission-denied', '1 error occurred:\n\t* permission denied\n\n');

/** 404 `{"errors":[]}`: nothing is there. */
export const notFound = (messages: readonly string[] = []): AppError => new AppError('not-found', messages);

/** Closes a switch over a union: a member that is forgotten does not compile. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${typeof value}`);
}
