import { type IncomingHttpHeaders, request } from 'node:http';
import { type Answer, readAnswer } from '#test/support/flow/calls/ask.ts';

export type Headers = Readonly<Record<string, string>>;

export interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** A request with any headers and any path: `fetch` mends paths, and does not send the headers that browsers set themselves. */
export function sendRaw(address: string, method: string, headers: Headers, text?: string): Promise<Raw> {
  const at = address.indexOf('/', 'http://'.length);
  return new Promise((resolve, reject) => {
    const sent = request(address.slice(0, at), { method, path: address.slice(at), headers }, (reply) => {
      const pieces: Buffer[] = [];
      reply.on('data', (piece: Buffer) => pieces.push(piece));
      reply.on('end', () =>
        resolve({ status: reply.statusCode ?? 0, headers: reply.headers, bytes: Buffer.concat(pieces) }),
      );
    });
    sent.on('error', reject);
    sent.end(text);
  });
}

export interface ApiAnswer extends Answer {
  readonly cookies: readonly string[];
  readonly etag: string;
}

export async function sendJson(address: string, method: string, headers: Headers, body?: unknown): Promise<ApiAnswer> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type: Headers = text === undefined ? {} : { 'content-type': 'application/json' };
  const { status, headers: received, bytes } = await sendRaw(address, method, { ...type, ...headers }, text);
  return {
    ...readAnswer(status, bytes.toString()),
    cookies: received['set-cookie'] ?? [],
    etag: received.etag ?? '',
  };
}
