import { AppError, notFound } from '#core/errors.ts';

/** A 404 with a hint at what the caller may have meant. */
export class UnsupportedPath extends AppError {
  readonly warning: string | undefined;

  constructor(warning: string | undefined) {
    super('unsupported-path', '1 error occurred:\n\t* unsupported path\n\n');
    this.warning = warning;
  }
}

/** A 404 for a path below no mount. */
export const noRoute = ({ path }: { readonly path: string }): AppError =>
  notFound([`no handler for route "${path}". route entry not found.`]);

/** A 405 with the verbs that the path answers. */
export class UnsupportedOperation extends AppError {
  readonly allow: string;

  constructor(allow: string, messages: readonly string[]) {
    super('unsupported-operation', messages);
    this.allow = allow;
  }
}

/** A 503 that says when to retry. */
export class Busy extends AppError {
  readonly retryAfterSeconds: number;

  constructor(message: string, retryAfterSeconds: number) {
    super('unavailable', message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
