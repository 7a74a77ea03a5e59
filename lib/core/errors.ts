/**
 * The kinds of error that a handler may throw. One file maps a kind to an HTTP status (`http/secrets/reply/status.ts`);
 * nobody else knows statuses.
 */
export type ErrorKind =
  | 'bad-request'
  | 'already-exists'
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

/** The name that who reads a text knows a thing by, from the canonical one. */
export type Word = (canonical: string) => string;

/** A text for the caller. One that names what existing clients call otherwise is made when it is known who reads it. */
export type Message = string | ((word: Word) => string);

/** An error that is meant for the caller: its messages go into the reply, so they never hold a secret value. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  /** The texts of the reply's `errors` array, in canonical words. Empty: the reply is `{"errors":[]}`. */
  readonly messages: readonly string[];
  readonly #messages: readonly Message[];

  constructor(kind: ErrorKind, messages: Message | readonly Message[], options?: ErrorOptions) {
    const list = typeof messages === 'object' ? messages : [messages];
    const canonical = inWords(list, (word) => word);
    super(canonical.join('; '), options);
    this.name = 'AppError';
    this.kind = kind;
    this.messages = canonical;
    this.#messages = list;
  }

  /** The same texts in the words of who reads them. What the caller sent stands in them as it was. */
  messagesIn(word: Word): readonly string[] {
    return inWords(this.#messages, word);
  }
}

const inWords = (messages: readonly Message[], word: Word): readonly string[] =>
  messages.map((message) => (typeof message === 'string' ? message : message(word)));

/** 400 with the bare text. */
export const badRequest = (message: Message, options?: ErrorOptions): AppError =>
  new AppError('bad-request', message, options);

/** 400 as the API family answers, of a kind of its own: whoever wanted the thing to be there may be content. */
export const alreadyExists = (message: Message): AppError => new AppError('already-exists', message);

/** 403 in the wording of the API family. */
export const permissionDenied = (): AppError =>
  new AppError('permission-denied', '1 error occurred:\n\t* permission denied\n\n');

/** 403 for a token that is unknown or has ended: agents of the API family log in again when they read the second text. */
export const invalidToken = (): AppError =>
  new AppError('permission-denied', '2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n');

/** 502: a system that had to be asked gave no answer that can be used. */
export const upstreamFailed = (message: string, options?: ErrorOptions): AppError =>
  new AppError('upstream', message, options);

/** 404 `{"errors":[]}`: nothing is there. */
export const notFound = (messages: readonly string[] = []): AppError => new AppError('not-found', messages);

/** 429: a quota is used up. */
export class TooManyRequests extends AppError {
  readonly retryAfterSeconds: number;
  /** Headers of the reply beside `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(message: string, retryAfterSeconds: number, headers: Readonly<Record<string, string>> = {}) {
    super('too-many-requests', message);
    this.retryAfterSeconds = retryAfterSeconds;
    this.headers = headers;
  }
}
