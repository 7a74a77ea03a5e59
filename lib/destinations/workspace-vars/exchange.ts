// Beyond the usual files: the host has no SDK, so this file makes the HTTP requests.
import { z } from 'zod';
import { boundedWaitMs, requestIdOf, retryAfterMs } from '../frame/answer/headers.ts';
import { jsonIn } from '../frame/answer/remote-text.ts';

const mediaType = 'application/vnd.api+json';

/** One error of a JSON:API document. */
export interface ApiError {
  readonly title: string;
  readonly detail: string;
  /** The member of the request that the error concerns: `/data/attributes/key`. */
  readonly pointer: string;
}

/** The answer to one request. */
export interface Answer {
  readonly status: number;
  /** From the header Retry-After, or the reset of a used-up budget. */
  readonly retryAfterMs: number | undefined;
  /** Whether the answer has a header that such hosts send with each answer. Otherwise it may come from another server. */
  readonly isSigned: boolean;
  /** The host's id of the request. */
  readonly requestId: string | undefined;
  readonly body: unknown;
  /** Empty on success. */
  readonly errors: readonly ApiError[];
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly token: string;
  readonly document?: unknown;
}

/**
 * Sends one request, without retries. Throws what `fetch` throws. Redirects are returned, not followed: that would turn a POST into
 * a GET.
 */
export async function exchange(
  fetch: typeof globalThis.fetch,
  { method, url, token, document }: Call,
  signal: AbortSignal | null,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    // A change without this type is refused with 415, even without a body.
    headers: { authorization: `Bearer ${token}`, 'content-type': mediaType, accept: mediaType },
    redirect: 'manual',
    signal,
    ...(document !== undefined && { body: JSON.stringify(document) }),
  });
  const body = jsonIn(await response.text());
  const header = (name: string) => response.headers.get(name);
  return {
    status: response.status,
    retryAfterMs: retryAfterMs(header) ?? resetAfterMs(response),
    requestId: requestIdOf(header, 'x-request-id'),
    isSigned: signatures.some((name) => response.headers.has(name)),
    body,
    errors: errorsIn(body),
  };
}

/** https://developer.hashicorp.com/terraform/cloud-docs/api-docs#rate-limiting */
const signatures = ['x-ratelimit-limit', 'tfp-api-version'];

/** The header of a 429 has the seconds until the budget resets, with a fraction. */
function resetAfterMs({ status, headers }: Response): number | undefined {
  const seconds = headers.get('x-ratelimit-reset') ?? '';
  if (status !== 429 || !/^\d{1,9}(\.\d{1,9})?$/.test(seconds)) return undefined;
  return boundedWaitMs(Math.ceil(Number(seconds) * 1000));
}

const text = z.string().catch('');
const errorObject = z.object({
  title: text,
  detail: text,
  source: z.object({ pointer: text }).catch({ pointer: '' }),
});
const errorDocument = z.object({
  errors: z.array(errorObject.catch({ title: '', detail: '', source: { pointer: '' } })),
});

function errorsIn(body: unknown): readonly ApiError[] {
  const { errors = [] } = errorDocument.safeParse(body).data ?? {};
  return errors.map(({ title, detail, source }) => ({ title, detail, pointer: source.pointer }));
}
