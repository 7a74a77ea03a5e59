// Beyond the usual files: there is no SDK, so this file speaks HTTP, and no other.
import { z } from 'zod';
import { jsonIn } from '../frame/answer/json-in.ts';
import { requestIdOf } from '../frame/answer/request-id.ts';
import { boundedWaitMs, retryAfterMs } from '../frame/answer/retry-after.ts';

const mediaType = 'application/vnd.api+json';

/** One error of a JSON:API document. */
export interface ApiError {
  readonly title: string;
  readonly detail: string;
  /** The member of the request that it is about: `/data/attributes/key`. */
  readonly pointer: string;
}

/** What came back for one request. */
export interface Answer {
  readonly status: number;
  /** From the header Retry-After, or the reset of a used-up budget. */
  readonly retryAfterMs: number | undefined;
  /** It bears a header that such hosts put on each answer. Without one it may be anybody's. */
  readonly isSigned: boolean;
  /** That the host gave the request. */
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
 * One request, one answer; nothing is tried again. Throws what `fetch` throws. Redirects are answers here: following one
 * would turn a POST into a GET.
 */
export async function exchange(
  fetch: typeof globalThis.fetch,
  { method, url, token, document }: Call,
  signal: AbortSignal | null,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    // A change without this type is refused with 415, also one without a body.
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

/** Of a 429: seconds until the budget is there again, with a fraction. */
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
