import { setTimeout as pause } from 'node:timers/promises';
import type { Tally } from './tally.ts';

/** The addresses that a load balancer would choose from. */
export type Rotation = Set<string>;

export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Asked {
  readonly token?: string;
  readonly body?: object;
  /** The process to call; by default any in the rotation. */
  readonly address?: string;
}

/** Repeats a request until it is answered: after a 503 with Retry-After, and after a cut connection. */
export type Caller = (what: string, method: string, path: string, asked?: Asked) => Promise<Answer>;

const answerMsMax = 60_000;
const againMs = 50;
/** A request without any answer after this time is a violation. */
const patienceMs = 90_000;

export function openCaller(rotation: Rotation, tally: Tally): Caller {
  return async (what, method, path, asked = {}) => {
    const deadline = Date.now() + patienceMs;
    while (Date.now() < deadline) {
      const began = performance.now();
      const answer = await once(asked.address ?? pick(rotation), method, path, asked);
      if (answer === undefined) tally.cut();
      else if (answer.status < 500) {
        tally.answered(what, performance.now() - began);
        return answer;
      } else if (answer.status === 503 && answer.retryAfter !== null) tally.unavailable(answer.text);
      else tally.violation(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`);
      await pause(againMs);
    }
    tally.violation(`${method} ${path} was not answered within ${patienceMs} ms`);
    throw new Error(`${method} ${path} was not answered`);
  };
}

function pick(rotation: Rotation): string {
  const all = [...rotation];
  const one = all[Math.floor(Math.random() * all.length)];
  if (one === undefined) throw new Error('no process is in rotation');
  return one;
}

/** Undefined when the connection ended before an answer, or could not be opened. */
async function once(address: string, method: string, path: string, { token, body }: Asked) {
  const isWorkspace = path.startsWith('/api/v2');
  const type = isWorkspace ? 'application/vnd.api+json' : 'application/json';
  const proof: Record<string, string> =
    token === undefined ? {} : isWorkspace ? { authorization: `Bearer ${token}` } : { 'x-service-token': token };
  try {
    const answer = await fetch(`${address}${path}`, {
      method,
      headers: { ...proof, ...(method === 'GET' ? {} : { 'content-type': type }) },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(answerMsMax),
    });
    const text = await answer.text();
    const isJson = answer.status < 500 && text !== '';
    const parsed: Readonly<Record<string, unknown>> = isJson ? JSON.parse(text) : {};
    return { status: answer.status, retryAfter: answer.headers.get('retry-after'), text, body: parsed };
  } catch (error) {
    if (error instanceof SyntaxError) throw error;
    return undefined;
  }
}
