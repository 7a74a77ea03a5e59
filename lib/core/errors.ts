import { byField, type FieldProblem, inWords, type Message, type Problem, problemOf, type Word } from './problem.ts';

/**
 * The kinds of error that a handler may throw. Only `http/server/failure.ts` maps a kind to an HTTP status.
 */
export type ErrorKind =
  | 'bad-request'
  | 'already-exists'
  | 'conflict'
  | 'permission-denied'
  | 'not-found'
  | 'unsupported-path'
  | 'unsupported-operation'
  | 'too-large'
  | 'unsupported-media'
  | 'too-many-requests'
  | 'sealed'
  | 'unavailable'
  | 'upstream'
  | 'internal';

export type { Message, Word };

interface AppErrorOptions extends ErrorOptions {
  /** The same messages by field, where they concern fields of the request. */
  readonly problems?: readonly Problem[];
}

/** An error for the caller: its messages appear in the reply, so they never contain a secret value. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  /** The messages of the reply's `errors` array, in canonical names. Empty for `{"errors":[]}`. */
  readonly messages: readonly string[];
  readonly #messages: readonly Message[];
  readonly #problems: readonly Problem[];

  constructor(kind: ErrorKind, messages: Message | readonly Message[], options?: AppErrorOptions) {
    const list = typeof messages === 'object' ? messages : [messages];
    const canonical = list.map((message) => inWords(message, (word) => word));
    super(canonical.join('; '), options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'AppError';
    this.kind = kind;
    this.messages = canonical;
    this.#messages = list;
    this.#problems = options?.problems ?? [];
  }

  /** The same messages in the reader's vocabulary. Values that the caller sent are unchanged. */
  messagesIn(word: Word): readonly string[] {
    return this.#messages.map((message) => inWords(message, word));
  }

  /** The fields that have to change, each with its message, in the reader's vocabulary. */
  problemsIn(word: Word): readonly FieldProblem[] {
    return byField(this.#problems, word);
  }
}

/** Status 400 with one message. */
export const badRequest = (message: Message, options?: ErrorOptions): AppError =>
  new AppError('bad-request', message, options);

/** Status 400 with the texts of these problems, by field where they concern fields. */
export const invalid = (problems: readonly Problem[], options?: ErrorOptions): AppError =>
  new AppError(
    'bad-request',
    problems.map(({ text }) => text),
    { ...options, problems },
  );

interface FieldErrorOptions extends ErrorOptions {
  /** The message beside the fields' names, where the one in `errors` has a value or a form that does not belong there. */
  readonly rule?: Message;
}

/** Status 400 with one message about these fields. A member of a field that is an object is `field.member`. */
export const badField = (
  fields: string | readonly string[],
  message: Message,
  { rule, ...options }: FieldErrorOptions = {},
): AppError => invalid([problemOf(fields, message, rule)], options);

/** Status 400, as in the API family, with its own kind, so that callers that only need the thing to exist can recognize it. */
export const alreadyExists = (field: string, message: Message): AppError =>
  new AppError('already-exists', message, { problems: [problemOf(field, message)] });

/** Status 409: something has changed meanwhile that the request builds on. */
export const conflict = (messages: readonly string[]): AppError => new AppError('conflict', messages);

/** Status 403 in the wording of the API family. */
export const permissionDenied = (): AppError =>
  new AppError('permission-denied', '1 error occurred:\n\t* permission denied\n\n');

/** Status 403 for a token that is unknown or has expired: agents of the API family log in again when they read the second message. */
export const invalidToken = (): AppError =>
  new AppError('permission-denied', '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n');

/** Status 502: an upstream system gave no usable answer. */
export const upstreamFailed = (message: string, options?: ErrorOptions): AppError =>
  new AppError('upstream', message, options);

/** Status 404, by default `{"errors":[]}`. */
export const notFound = (messages: readonly string[] = []): AppError => new AppError('not-found', messages);

/** Status 429: a quota is exhausted. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number;
  /** Headers of the reply in addition to `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, retryAfterSeconds: number, headers: Readonly<Record<string, string>> = {}) {
    super('too-many-requests', message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }
}
