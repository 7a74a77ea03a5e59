import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Reaction } from './faults.ts';
import { type Exchange, sendJson } from './server.ts';

/** A request as a stand-in with JSON bodies sees it. */
export interface Question {
  readonly method: string;
  /** Decoded segments of the path. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  /** The base URL of this server. */
  readonly origin: string;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/**
 * Turns requests into questions, and answers into JSON.
 *
 * @param requestIdHeader the header in which the system names each request
 */
export function restExchange(
  scheme: 'http' | 'https',
  requestIdHeader: string,
  react: (question: Question) => Reaction<Answer>,
): Exchange<Answer> {
  return {
    react: (request, body) => (body === undefined ? { status: 413 } : react(questionOf(scheme, request, body))),
    send: (response, { status, headers, body }) =>
      sendJson(response, status, { [requestIdHeader]: randomUUID(), ...headers }, body),
  };
}

function questionOf(scheme: string, request: IncomingMessage, body: Buffer): Question {
  const origin = `${scheme}://${request.headers.host ?? '127.0.0.1'}`;
  const url = new URL(request.url ?? '/', origin);
  return {
    method: request.method ?? 'GET',
    path: url.pathname.split('/').slice(1).map(decodeURIComponent),
    query: url.searchParams,
    headers: request.headers,
    body: body.toString(),
    origin,
  };
}

/** Returns undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
