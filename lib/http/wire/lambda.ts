import { METHODS } from 'node:http';
import { awsLambdaFastify } from '@fastify/aws-lambda';
import type { FastifyInstance } from 'fastify';
import type { ClientConnection } from '../../path/contract/request.ts';
import { carriedOver } from './connection/connection.ts';
import { disguised } from './verbs/names.ts';

/** The part of an API Gateway (payload format 2.0) or function URL event that is a request. */
export interface LambdaHttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: {
    readonly requestId?: string;
    readonly http: { readonly method: string; readonly sourceIp?: string };
  };
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
}

export interface LambdaHttpResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded?: boolean;
}

/**
 * Answers events with the routes of a server. Where the platform passes no LIST on, `GET ?list=true` is the same operation.
 */
export function answersEvents(routes: FastifyInstance): (event: LambdaHttpEvent) => Promise<LambdaHttpResult> {
  const answer = awsLambdaFastify<LambdaHttpEvent>(routes, { decorateRequest: false });
  return async (event) => {
    const { headers, ...result } = await carriedOver(connectionOf(event), () => answer(asSent(event), noContext));
    for (const name of madeByPlatform) delete headers[name];
    return { ...result, headers };
  };
}

/** The platform's gateways speak TLS only. */
const connectionOf = ({ requestContext }: LambdaHttpEvent): ClientConnection => ({
  remoteAddress: requestContext.http.sourceIp ?? '',
  tls: true,
});

/** Nothing of the platform's context is read. */
const noContext = undefined as never;

const madeByPlatform = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date'];

/**
 * The event with the query as the client sent it: the platform's parsed one, which is left out, distinguishes `a=1&a=2` from `a=1,2`
 * no more. Headers without a value go as well; no request can have them.
 */
function asSent({ rawPath, rawQueryString, headers, requestContext, body, isBase64Encoded }: LambdaHttpEvent) {
  return {
    rawPath: rawQueryString === '' ? rawPath : `${rawPath}?${rawQueryString}`,
    rawQueryString,
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined)),
    requestContext: {
      ...requestContext,
      http: { ...requestContext.http, method: routable(requestContext.http.method) },
    },
    ...(body === undefined ? {} : { body }),
    ...(isBase64Encoded === undefined ? {} : { isBase64Encoded }),
  };
}

/** A verb that no request can have gets what any other of no path gets: 405. */
const routable = (verb: string): string => (METHODS.includes(disguised(verb)) ? disguised(verb) : 'LOCK');
