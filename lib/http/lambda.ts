import type { Inject } from './server.ts';

/** The part of an API Gateway (payload format 2.0) or function URL event that is a request. */
export interface LambdaHttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string; readonly sourceIp?: string } };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface LambdaHttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What answers a request without a socket, as a server's `inject` does. */
export type Answer = (request: Inject) => Promise<{
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | readonly string[] | undefined>>;
  readonly body: string;
}>;

/** Answers an event. Where the platform passes no LIST on, `GET ?list=true` is the same operation. */
export async function answerLambda(answer: Answer, event: LambdaHttpEvent): Promise<LambdaHttpResult> {
  const { method, sourceIp } = event.requestContext.http;
  const payload = payloadOf(event);
  const reply = await answer({
    method,
    url: event.rawQueryString === '' ? event.rawPath : `${event.rawPath}?${event.rawQueryString}`,
    headers: singleValues(event.headers),
    ...(sourceIp === undefined ? {} : { remoteAddress: sourceIp }),
    ...(payload === undefined ? {} : { payload }),
  });
  const headers = singleValues(reply.headers);
  for (const name of madeByPlatform) delete headers[name];
  return { statusCode: reply.statusCode, headers, body: reply.body };
}

function payloadOf({ body, isBase64Encoded }: LambdaHttpEvent): Buffer | string | undefined {
  return body !== undefined && isBase64Encoded === true ? Buffer.from(body, 'base64') : body;
}

const madeByPlatform = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

/** Headers with one value each; those without a value are left out. */
function singleValues(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
