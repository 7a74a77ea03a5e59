import type { LightMyRequestResponse } from 'fastify';
import type { Inject } from './server.ts';

/** An event of a platform's HTTP API, payload format 2.0; what of it is used. */
export interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string; readonly sourceIp: string } };
}

export interface HttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: boolean;
}

/** The event as a request to the server. The platform passes any verb on, LIST included, when its route names none. */
export function toInject(event: HttpEvent): Inject {
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const headers = Object.fromEntries(Object.entries(event.headers).filter(([, value]) => value !== undefined));
  return {
    method: event.requestContext.http.method,
    url: `${event.rawPath}${query}`,
    headers: headers as Record<string, string>,
    remoteAddress: event.requestContext.http.sourceIp,
    ...(event.body === undefined ? {} : { payload: bodyOf(event.body, event.isBase64Encoded) }),
  };
}

const bodyOf = (body: string, encoded: boolean): Buffer => Buffer.from(body, encoded ? 'base64' : 'utf8');

/** The platform makes these itself. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
]);

export function toHttpResult(response: LightMyRequestResponse): HttpResult {
  const headers = Object.entries(response.headers).flatMap(([name, value]) =>
    value === undefined || hopByHop.has(name)
      ? []
      : [[name, Array.isArray(value) ? value.join(', ') : String(value)] as const],
  );
  return {
    statusCode: response.statusCode,
    headers: Object.fromEntries(headers),
    body: response.rawPayload.toString('base64'),
    isBase64Encoded: true,
  };
}
