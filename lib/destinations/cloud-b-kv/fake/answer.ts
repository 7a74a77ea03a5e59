/** A request as the stand-in sees it. */
export interface Question {
  readonly method: string;
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** Where this server is reached. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Instead of an answer: silence, or a broken connection. */
export type Reaction = Answer | 'hang' | 'reset';

/** The vault's error body: https://learn.microsoft.com/azure/key-vault/general/rest-error-codes */
export function problem(status: number, code: string, message: string, innerCode?: string): Answer {
  const inner = innerCode === undefined ? {} : { innererror: { code: innerCode } };
  return { status, body: { error: { code, message, ...inner } } };
}

export const badParameter = (message: string): Answer => problem(400, 'BadParameter', message);

export const notFound = (name: string): Answer =>
  problem(404, 'SecretNotFound', `A secret with (name/id) ${name} was not found in this key vault.`);
