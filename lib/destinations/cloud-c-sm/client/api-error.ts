// Beyond the usual files: the SDK loses parts of a refusal, so the transport parses refusals itself.
import { z } from 'zod';
import { requestIdOf, retryAfterMs } from '../../frame/answer/headers.ts';
import { jsonIn } from '../../frame/answer/remote-text.ts';

/** A refusal of the service. `code` is the canonical one, such as `NOT_FOUND`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  /** Such as `SERVICE_DISABLED`. */
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;

  readonly requestId: string | undefined;

  constructor(answer: {
    status: number;
    code: string;
    message: string;
    reason?: string;
    retryAfterMs?: number;
    requestId?: string | undefined;
  }) {
    super(answer.message);
    this.name = 'ApiError';
    this.status = answer.status;
    this.code = answer.code;
    this.reason = answer.reason;
    this.retryAfterMs = answer.retryAfterMs;
    this.requestId = answer.requestId;
  }
}

/** google.rpc.Status as JSON: https://google.aip.dev/193 */
const errorBody = z.object({
  error: z.object({
    status: z.string().optional(),
    message: z.string().default(''),
    details: z
      .array(
        z.object({ '@type': z.string(), reason: z.string().optional(), retryDelay: z.string().optional() }).loose(),
      )
      .default([]),
  }),
});

/** `quote` keeps the service's text, which redaction checks later; it must be false when the request held the value. */
export async function readApiError(response: Response, quote: boolean): Promise<ApiError> {
  const { status } = response;
  const parsed = errorBody.safeParse(jsonIn(await response.text()));
  // Proxies between us and the service answer with pages.
  const error = parsed.success ? parsed.data.error : { status: undefined, message: '', details: [] };
  const reason = error.details.find((detail) => detail['@type'].endsWith('ErrorInfo'))?.reason;
  const delay = error.details.find((detail) => detail['@type'].endsWith('RetryInfo'))?.retryDelay;
  const waitMs = delayMs(delay) ?? retryAfterMs((name) => response.headers.get(name));
  return new ApiError({
    status,
    code: error.status ?? codeOfStatus(status),
    message: quote ? error.message : '',
    ...(reason !== undefined && { reason }),
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    requestId: requestIdOf((name) => response.headers.get(name), 'x-request-id'),
  });
}

/** For answers that are not in the service's form. Empty where the status alone determines the failure. */
function codeOfStatus(status: number): string {
  if (status === 404 || status === 409 || status === 413) return '';
  if (status === 401) return 'UNAUTHENTICATED';
  if (status === 403) return 'PERMISSION_DENIED';
  if (status === 408 || status === 504) return 'DEADLINE_EXCEEDED';
  if (status === 429) return 'RESOURCE_EXHAUSTED';
  return status >= 500 ? 'UNAVAILABLE' : 'INVALID_ARGUMENT';
}

/** `1.5s` in milliseconds. */
function delayMs(delay: string | undefined): number | undefined {
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? '')?.[1];
  return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
}
