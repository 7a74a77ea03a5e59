import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { expect } from 'vitest';
import { patience } from '../../support/measures/patience.ts';

/** An answer whose body was counted but not kept. */
export interface CountedAnswer {
  readonly status: number;
  readonly bytes: number;
}

export interface LargeRequest {
  /** The path below `/v1/`. */
  readonly path: string;
  readonly method?: string;
  readonly token?: string;
  /** Shared by all requests, so that they need no memory here. */
  readonly body?: Buffer;
  /** True: sends the whole body even after an early answer. False: stops then, as most clients do. */
  readonly stubborn?: boolean;
}

/** Sends one request. */
const againMs = 1_000;

/** Repeats a request while it is refused because other requests hold the memory. Every such refusal has a Retry-After. */
export async function requestUntilAdmitted(address: string, asked: LargeRequest): Promise<CountedAnswer> {
  const deadline = Date.now() + patience.testMs;
  for (;;) {
    const answer = await askOnce(address, asked);
    if (answer.status !== 503) return answer;
    expect(answer.retryAfter).toBe('1');
    if (Date.now() > deadline) throw new Error(`${asked.path} was 503 for ${patience.testMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

async function askOnce(address: string, { path, method = 'GET', token, body, stubborn = false }: LargeRequest) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const agent = new Agent({ keepAlive: !stubborn });
  const sent = request(`${address}/v1/${path}`, {
    method,
    agent,
    headers: {
      ...(token === undefined ? {} : { 'x-service-token': token }),
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': body.length }),
    },
  });
  sent.end(body);
  try {
    const [response]: IncomingMessage[] = await once(sent, 'response');
    if (response === undefined) throw new Error('no response');
    let bytes = 0;
    for await (const piece of response) bytes += piece.length;
    return { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], bytes };
  } finally {
    sent.destroy();
    agent.destroy();
  }
}

/** The maximum resident memory of a process so far, in bytes. */
export function peakBytes(pid: number): number {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) * 1_024;
}
