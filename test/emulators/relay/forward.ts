import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { buffer } from 'node:stream/consumers';

/** The address of an emulator, and the host name for its requests. */
export interface Upstream {
  readonly url: string;
  /** PEM of its certificate; undefined for plain HTTP. */
  readonly certificate?: string;
  /** The Host header, if it differs from that of the request: an emulator may have several systems at one address. */
  readonly host?: string;
}

export interface Sent {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends one request to an emulator. Resolves to its answer with any status. */
export function forward({ url, certificate, host }: Upstream, { method, path, headers, body }: Sent): Promise<Answer> {
  const options = { method, headers: host === undefined ? headers : { ...headers, host } };
  // Not the name in the Host header: Node does not accept a wildcard such as *.localhost.
  const tls = { ca: certificate, servername: 'localhost' };
  return new Promise((resolve, reject) => {
    const take = (answer: IncomingMessage) => {
      const whole = (received: Buffer) => ({
        status: answer.statusCode ?? 502,
        headers: answer.headers,
        body: received,
      });
      buffer(answer).then((received) => resolve(whole(received)), reject);
    };
    const sent =
      certificate === undefined
        ? requestHttp(`${url}${path}`, options, take)
        : requestHttps(`${url}${path}`, { ...options, ...tls }, take);
    sent.once('error', reject).end(body);
  });
}

/** The answer with another JSON body. */
export function withJson(answer: Answer, json: unknown): Answer {
  const body = Buffer.from(JSON.stringify(json));
  const { 'transfer-encoding': _, ...headers } = answer.headers;
  return { ...answer, headers: { ...headers, 'content-length': String(body.length) }, body };
}
