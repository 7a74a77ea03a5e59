import { patience } from '../../measures/patience.ts';

/** One answer of the API. */
export interface Answer {
  readonly status: number;
  readonly text: string;
  /** The body as JSON; empty if there is none. */
  readonly body: Readonly<Record<string, unknown>>;
  /** `data` of the body; empty if there is none. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

export interface AskOptions {
  /** Undefined removes a header that is sent by default. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** The body, sent exactly like this. */
  readonly raw?: string;
}

interface Question extends AskOptions {
  readonly address: string;
  readonly token: string;
  readonly method: string;
  /** Below `/v1/`. */
  readonly path: string;
  readonly body?: unknown;
}

/** Sends a request as any client would. `LIST` is sent as GET with `list=true`, because fetch has no such method. */
export async function ask({ address, token, method, path, body, raw, headers = {} }: Question): Promise<Answer> {
  const text = raw ?? (body === undefined ? null : JSON.stringify(body));
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await fetch(`${address}/v1/${path}${method === 'LIST' ? '?list=true' : ''}`, {
    method: method === 'LIST' ? 'GET' : method,
    headers: present({ 'x-service-token': token, 'content-type': text === null ? undefined : type, ...headers }),
    body: text,
    signal: AbortSignal.timeout(patience.conditionMs),
  });
  return readAnswer(answer.status, await answer.text());
}

const present = (headers: Readonly<Record<string, string | undefined>>): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));

export function readAnswer(status: number, text: string): Answer {
  const body = asObject(text === '' ? {} : JSON.parse(text));
  return {
    status,
    text,
    body,
    data: asObject(body['data']),
    errors: asTexts(body['errors']),
    warnings: asTexts(body['warnings']),
  };
}

const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const asTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
