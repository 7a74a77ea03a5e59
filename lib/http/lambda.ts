import type { Inject } from './server.ts';

/** The part of an API Gateway (payload format 2.0) or function URL event that is a request. */
export interface LambdaHttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly http: { readonly method: string } };
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

/** Answers an event. The gateway passes any verb on, LIST included, when its route has none. */
export async function answerLambda(answer: Answer, event: LambdaHttpEvent): Promise<LambdaHttpResult> {
  const payload = payloadOf(event);
  const reply = await answer({
    method: event.requestContext.http.method,
    url: event.rawQueryString === '' ? event.rawPath : `${event.rawPath}?${event.rawQueryString}`,
    headers: { ...event.headers },
    ...(payload === undefined ? {} : { payload }),
  });
  return { statusCode: reply.statusCode, headers: singleValues(reply.headers), body: reply.body };
}

function payloadOf({ body, isBase64Encoded }: LambdaHttpEvent): Buffer | string | undefined {
  return body !== undefined && isBase64Encoded === true ? Buffer.from(body, 'base64') : body;
}

/** The gateway makes these itself. */
const hopByHop = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

function singleValues(headers: Awaited<ReturnType<Answer>>['headers']): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).filter(([name, value]) => value !== undefined && !hopByHop.includes(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}
