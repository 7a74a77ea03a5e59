import type * as http from 'node:http';
import type { Connection } from './connection.ts';
import { CallFailure } from './failure.ts';

/** A request as it goes over the wire. */
export interface Request {
  readonly method: string;
  /** With its query, from the root of the server; or a whole address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Larger replies are refused. A state of a workspace may be large. */
const replyBytesMax = 512 * 1_024 * 1_024;

/** One attempt. Redirects are not followed, so that the token never goes to another server. */
export async function exchange(connection: Connection, request: Request): Promise<RawReply> {
  const address = new URL(request.path, `${connection.address}/`);
  const label = `${request.method} ${address.pathname}`;
  const failed = (error: unknown) => failureOf(error, label, connection, request.signal);
  const deadline = AbortSignal.timeout(connection.timeoutMs);
  const signal = request.signal === undefined ? deadline : AbortSignal.any([deadline, request.signal]);
  const { request: send } = await moduleFor(address.protocol);
  return new Promise((resolve, reject) => {
    const sent = send(address, {
      method: request.method,
      headers: headersOf(request),
      signal,
      ...tlsOf(connection),
    });
    sent.once('error', (error) => reject(failed(error)));
    sent.once('response', (reply) => {
      readBody(reply, label).then(
        (body) => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }),
        (error: unknown) => reject(failed(error)),
      );
    });
    sent.end(request.body);
  });
}

/** Loaded on demand: TLS alone is a large part of the start of a command line. */
const moduleFor = (protocol: string) => (protocol === 'https:' ? import('node:https') : import('node:http'));

const headersOf = ({ headers, body }: Request) => ({
  accept: 'application/json',
  ...headers,
  'content-length': String(body === undefined ? 0 : Buffer.byteLength(body)),
});

/** Given certificates replace those of Node, as in the clients of the API family. */
const tlsOf = ({ certificates, skipVerify }: Connection) => ({
  ...(certificates === undefined ? {} : { ca: certificates }),
  rejectUnauthorized: !skipVerify,
});

async function readBody(reply: http.IncomingMessage, request: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of reply as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > replyBytesMax) {
      throw new CallFailure('unreadable', `the reply has more than ${replyBytesMax} bytes`, { request });
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function failureOf(error: unknown, request: string, connection: Connection, signal?: AbortSignal): CallFailure {
  if (error instanceof CallFailure) return error;
  const details = { request, cause: error };
  const { name, code = '', message } = error as NodeJS.ErrnoException;
  if (signal?.aborted === true) return new CallFailure('cancelled', 'the call was cancelled', details);
  if (name === 'AbortError' || name === 'TimeoutError') {
    return new CallFailure('timeout', `${connection.address} did not reply within ${connection.timeoutMs} ms`, details);
  }
  if (/^(?:ERR_TLS|ERR_SSL|CERT_|UNABLE_TO|SELF_SIGNED|DEPTH_ZERO|EPROTO)/.test(code)) {
    return new CallFailure('untrusted', `no trusted connection to ${connection.address}: ${code}`, details);
  }
  return new CallFailure('unreachable', `${connection.address} cannot be reached: ${code || message}`, details);
}
