/** Why a call has no usable reply. */
export type FailureKind =
  /** The server replied with an error status. */
  | 'refused'
  /** No connection, or it broke. */
  | 'unreachable'
  /** The certificate of the server is not trusted, or it speaks no TLS. */
  | 'untrusted'
  | 'timeout'
  /** The reply is too large, or not JSON. */
  | 'unreadable'
  /** The caller ended the call. */
  | 'cancelled';

/** An error about one field of a request. */
export interface Problem {
  readonly field: string;
  readonly message: string;
}

interface Details {
  readonly request: string;
  readonly status?: number;
  readonly errors?: readonly string[];
  readonly problems?: readonly Problem[];
  readonly warnings?: readonly string[];
  readonly cause?: unknown;
}

/** The failure of a call. Its message has neither a token nor a body. */
export class CallFailure extends Error {
  readonly kind: FailureKind;
  /** Method and path. */
  readonly request: string;
  /** 0 without a reply. */
  readonly status: number;
  readonly errors: readonly string[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];

  constructor(kind: FailureKind, message: string, details: Details) {
    super(message, { cause: details.cause });
    this.name = 'CallFailure';
    this.kind = kind;
    this.request = details.request;
    this.status = details.status ?? 0;
    this.errors = details.errors ?? [];
    this.problems = details.problems ?? [];
    this.warnings = details.warnings ?? [];
  }

  /** Whether the token is missing, unknown or has expired. */
  get isTokenInvalid(): boolean {
    return (
      this.status === 401 ||
      (this.status === 403 && this.errors.some((text) => /invalid token|missing client token/.test(text)))
    );
  }

  /** Whether the same call may soon succeed: the server is away, overloaded or without its database. */
  get isPassing(): boolean {
    if (this.kind === 'unreachable' || this.kind === 'timeout') return true;
    return [429, 502, 504].includes(this.status) || (this.status === 503 && !this.isSealed);
  }

  get isSealed(): boolean {
    return this.status === 503 && this.errors.some((text) => /sealed|not initiali[sz]ed/i.test(text));
  }
}
