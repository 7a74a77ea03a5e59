// Beyond the usual files: the host has no SDK, so this file makes the HTTP requests.
import { z } from 'zod';
import { requestIdOf, retryAfterMs } from '../frame/answer/headers.ts';
import { jsonIn } from '../frame/answer/remote-text.ts';

/** The answer to one request. The code of `error` is `none` on success. */
export interface Answer {
  readonly status: number;
  /** From the header Retry-After. */
  readonly retryAfterMs: number | undefined;
  /** The service's id of the request. */
  readonly requestId: string | undefined;
  readonly body: unknown;
  readonly error: ErrorBody;
}

type ErrorBody = z.output<typeof errorBody>;

const errorBody = z.object({
  code: z.string().default('none'),
  invalidToken: z.boolean().default(false),
  missingToken: z.boolean().default(false),
  limit: z.object({ reset: z.number().optional(), resetMs: z.number().optional() }).optional(),
});
const withError = z.object({ error: errorBody });
const noError: ErrorBody = { code: 'none', invalidToken: false, missingToken: false };

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly token: string;
  readonly body?: unknown;
}

/**
 * Sends one request, without retries. Throws what `fetch` throws. Redirects are returned, not followed: that would turn a POST into
 * a GET.
 */
export async function exchange(
  fetch: typeof globalThis.fetch,
  call: Call,
  signal: AbortSignal | null,
): Promise<Answer> {
  const response = await fetch(call.url, {
    method: call.method,
    headers: { authorization: `Bearer ${call.token}`, 'content-type': 'application/json', accept: 'application/json' },
    redirect: 'manual',
    signal,
    ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
  });
  const body = jsonIn(await response.text());
  return {
    status: response.status,
    retryAfterMs: retryAfterMs((name) => response.headers.get(name)),
    requestId: requestIdOf((name) => response.headers.get(name), 'x-vercel-id'),
    body,
    error: withError.safeParse(body).data?.error ?? noError,
  };
}
