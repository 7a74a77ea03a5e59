// Beyond the usual files: the client and the login of an app share the sending of requests.
import type { Octokit } from '@octokit/rest';
import type { Clock } from '#core/clock.ts';
import { connectionFailed, noAnswer } from '../frame/answer/no-answer.ts';
import { withinRequestTime } from '../frame/verb/request-time.ts';
import { cannot } from '../frame/verb/verb.ts';

/** One request. */
export interface Call {
  readonly route: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Names the request in messages where it is only a part of the verb: `read the public key of repository acme/app`. */
  readonly step?: string;
  /** The container of the secret, for messages: `repository acme/app`. Not needed when the step names it. */
  readonly where?: string;
  /** What the credentials need for it, for messages: `the repository permission "Secrets: read and write"`. */
  readonly rights: string;
}

/** An answer of the host with any status. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
  /** Parsed JSON, or a text where the host (or a proxy) did not send JSON. Not trusted. */
  readonly data: unknown;
  readonly receivedAt: Date;
}

/** Sends one request; the caller checks the answer's status. */
export type Exchange = (octokit: Octokit, call: Call, headers: Headers, signal: AbortSignal) => Promise<Answer>;

type Headers = Readonly<Record<string, string>>;

/**
 * One request, one attempt, ended by `signal` or after `requestMs`, including reading the body.
 * @throws DestinationFailure timeout, network or blocked, when no answer comes
 */
export function openExchange({ requestMs, clock }: { readonly requestMs: number; readonly clock: Clock }): Exchange {
  return async (octokit, call, headers, signal) => {
    try {
      const answer = await withinRequestTime(requestMs, signal, (ends) => send(octokit, call, headers, ends));
      return { ...answer, receivedAt: clock.now() };
    } catch (error) {
      const failure = noAnswer(error) ?? connectionFailed(undefined);
      throw call.step === undefined ? failure : cannot(call.step, failure);
    }
  };
}

async function send(octokit: Octokit, { route, parameters }: Call, headers: Headers, signal: AbortSignal) {
  try {
    const answer = await octokit.request(route, { ...parameters, headers, request: { signal } });
    // Octokit returns an empty text for a body that breaks off.
    signal.throwIfAborted();
    return pick(answer);
  } catch (error) {
    const response = responseOf(error);
    if (response === undefined || signal.aborted) throw error;
    return response;
  }
}

type Response = Pick<Answer, 'status' | 'headers' | 'data'>;

const pick = ({ status, headers, data }: Response): Response => ({ status, headers, data });

/** Trap: Octokit also throws its HTTP error, with status 500, when there was no answer at all; then it has no response. */
function responseOf(error: unknown): Response | undefined {
  if (!(error instanceof Error) || !('response' in error)) return undefined;
  return isResponse(error.response) ? pick(error.response) : undefined;
}

function isResponse(value: unknown): value is Response {
  return typeof value === 'object' && value !== null && 'status' in value && 'headers' in value && 'data' in value;
}
