import { METHODS } from 'node:http';
import { awsLambdaFastify } from '@fastify/aws-lambda';
import type { FastifyInstance } from 'fastify';
import type { ClientConnection } from '#path/contract/request.ts';
import { carriedOver } from './connection/connection.ts';
import { disguised } from './verbs/names.ts';

/** The members of an API Gateway event (payload format 2.0) or function URL event that describe the request. */
export interface LambdaHttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: {
    readonly requestId?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
  /** The platform takes them out of the headers. */
  readonly cookies?: readonly string[];
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface LambdaHttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  readonly cookies?: readonly string[];
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/**
 * Answers events with the routes of a server. For platforms that do not forward LIST, `GET ?list=true` is the same operation.
 */
export function answersEvents(routes: FastifyInstance): (event: LambdaHttpEvent) => Promise<LambdaHttpResult> {
  const answer = awsLambdaFastify<LambdaHttpEvent>(routes, { decorateRequest: false });
  return async (event) => {
    const { headers, ...result } = await carriedOver(connectionOf(event), () => answer(asSent(event), noContext));
    for (const name of madeByPlatform) delete headers[name];
    return { ...result, headers };
  };
}

/** The platform's gateways accept TLS only. */
const connectionOf = ({ requestContext }: LambdaHttpEvent): ClientConnection => ({
  remoteAddress: requestContext.http.sourceIp ?? '',
  tls: true,
});

/** No member of the platform's context is read. */
const noContext = undefined as never;

/** Headers that the platform sets itself. */
const madeByPlatform = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

/**
 * The event with the query as the client sent it. The platform's parsed query is dropped, because it no longer distinguishes
 * `a=1&a=2` from `a=1,2`. Headers without a value, which no request can have, are dropped too.
 */
function asSent({ rawPath, rawQueryString, headers, cookies = [], ...others }: LambdaHttpEvent) {
  const { requestContext, body, isBase64Encoded } = others;
  const sent = cookies.length === 0 ? headers : { ...headers, cookie: cookies.join('; ') };
  return {
    // Without it, the cookies of a reply are lost.
    version: '2.0',
    rawPath: rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`,
    rawQueryString,
    headers: Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)),
    requestContext: {
      ...requestContext,
      http: { ...requestContext.http, method: routable(requestContext.http.method) },
    },
    ...(body === undefined ? {} : { body }),
    ...(isBase64Encoded === undefined ? {} : { isBase64Encoded }),
  };
}

/** Maps a verb that Node cannot parse to one that no path answers, so that the client gets 405. */
const routable = (verb: string): string => (METHODS.includes(disguised(verb)) ? disguised(verb) : 'LOCK');
