import type { Fault } from '../../fake.ts';

/** An answer of the stand-in host. */
export interface Answer {
  readonly status: number;
  /** When undefined, the body is empty. */
  readonly body?: object | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

const documentation = 'https://docs.github.com/rest';

export const json = (body: object, status = 200): Answer => ({ status, body });
export const empty: Answer = { status: 204 };

/** An error in the host's form. */
export const problem = (status: number, message: string, headers: Answer['headers'] = {}): Answer => ({
  status,
  body: { message, documentation_url: documentation, status: String(status) },
  headers,
});

export const notFound = problem(404, 'Not Found');
export const badCredentials = problem(401, 'Bad credentials');
export const unprocessable = (message: string): Answer => problem(422, message);

const resetSecondsDefault = 60;

/** The host's own answer for a fault, or undefined when the fault sends no answer. */
export function faultAnswer({ kind, retryAfterSeconds }: Fault, now: Date): Answer | undefined {
  if (kind === 'throttle') return throttled(retryAfterSeconds, now);
  if (kind === 'unavailable') return problem(503, 'Service unavailable');
  if (kind === 'denied') return problem(403, 'Resource not accessible by personal access token');
  return kind === 'credentials' ? badCredentials : undefined;
}

/** The refusal of a secondary limit has a wait; that of a used-up hourly budget has the time of its reset. */
function throttled(retryAfterSeconds: number | undefined, now: Date): Answer {
  if (retryAfterSeconds !== undefined) {
    const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
    return problem(403, message, { 'retry-after': String(retryAfterSeconds) });
  }
  const reset = Math.ceil(now.getTime() / 1000) + resetSecondsDefault;
  const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
  return problem(403, 'API rate limit exceeded for user ID 1.', headers);
}
