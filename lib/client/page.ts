import type { Fields, Operation, Parameters } from './operation.ts';
import { type AnyRequest, isWorkspaces, queryOf, requestOf, verbOf } from './request.ts';
import { CallFailure } from './wire/failure.ts';
import { isObject, memberOf, parseJson, printJson, textsOf, type Value } from './wire/json.ts';
import { refusal } from './wire/refusal.ts';

/** A reply to the web page. */
export interface PageReply {
  readonly status: number;
  readonly whole: Value | undefined;
  /** Its `data`; of a reply without an envelope, the whole document. */
  readonly data: Value | undefined;
  readonly warnings: readonly string[];
  readonly etag: string | undefined;
}

/** How one call differs from the others. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** The reply that the caller has: if it has not changed, the server sends none, and the call returns this one. */
  readonly known?: PageReply | undefined;
  /** `begin`: the token of the reply becomes the session; `end`: the session ends. */
  readonly session?: 'begin' | 'end';
  /** Instead of the session, for the one call that begins a session with it. */
  readonly token?: string;
  /** Codes of second factors, as `method:code`. */
  readonly codes?: string;
  /** Instead of the namespace of the client. */
  readonly namespace?: string;
  /** How long the reply may take to begin, in milliseconds; by default as long as a call may take as a whole. */
  readonly replyMsMax?: number | undefined;
}

/** The client of the web page: the same operations over `fetch`, with the session in a cookie that it never sees. */
export interface PageClient {
  /** @throws CallFailure unless the server does as asked */
  call<const O extends Operation>(
    operation: O,
    parameters: Parameters<O>,
    fields?: O extends { readonly fields: readonly string[] } ? Fields<O, Value> : Value,
    options?: CallOptions,
  ): Promise<PageReply>;
  /** @throws CallFailure unless the server does as asked */
  ask(request: AnyRequest, options?: CallOptions): Promise<PageReply>;
  /** The reply as it is, also one with an error status. @throws CallFailure without a reply */
  exchange(request: AnyRequest, options?: CallOptions): Promise<RawPageReply>;
}

/** A reply of which nothing was read yet. */
export interface RawPageReply {
  readonly status: number;
  readonly etag: string | undefined;
  readonly isJson: boolean;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Longer than the server takes for a request. */
const callMsMax = 100_000;

export function openPageClient(namespace: () => string): PageClient {
  const exchange: PageClient['exchange'] = (request, options = {}) => {
    const { method, path } = verbOf(request);
    const parts = {
      method,
      headers: headersOf(request, options, options.namespace ?? namespace()),
      ...(request.body === undefined ? {} : { body: printJson(request.body) }),
    };
    return sent(`${path}${queryOf(request)}`, parts, options).catch((cause: unknown) => {
      throw failureOf(cause, labelOf(request), options.signal);
    });
  };
  const ask: PageClient['ask'] = async (request, options = {}) => {
    const { known } = options;
    const reply = await exchange(request, options);
    if (reply.status === 304 && known !== undefined) return known;
    if (reply.status >= 400) throw refusal({ status: reply.status, body: textOf(reply) }, labelOf(request));
    return read(reply, labelOf(request));
  };
  return {
    ask,
    exchange,
    call: (operation, parameters, fields, options) =>
      ask(requestOf(operation, parameters as never, fields as Value | undefined), options),
  };
}

const labelOf = (request: AnyRequest): string => `${request.method} ${verbOf(request).path}`;

const textOf = ({ bytes }: RawPageReply): string => new TextDecoder().decode(bytes);

async function sent(path: string, request: RequestInit, options: CallOptions): Promise<RawPageReply> {
  const { signal, begun } = deadlineOf(options);
  const reply = await fetch(path, {
    ...request,
    signal,
    credentials: 'same-origin',
    cache: 'no-store',
    redirect: 'error',
  }).finally(begun);
  return {
    status: reply.status,
    etag: reply.headers.get('etag') ?? undefined,
    isJson: /\bjson\b/.test(reply.headers.get('content-type') ?? ''),
    bytes: new Uint8Array(await reply.arrayBuffer()),
  };
}

/** A server that hangs is noticed early; a long reply over a slow network has its time. */
function deadlineOf({ signal, replyMsMax = callMsMax }: CallOptions) {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new DOMException('no reply', 'TimeoutError')), replyMsMax);
  const ends = [late.signal, AbortSignal.timeout(callMsMax), ...(signal === undefined ? [] : [signal])];
  return { signal: AbortSignal.any(ends), begun: () => clearTimeout(timer) };
}

function headersOf(
  { method, path, body }: AnyRequest,
  options: CallOptions,
  namespace: string,
): Record<string, string> {
  const headers: Record<string, string> = { 'x-keyferry-ui': '1', 'x-service-request': 'true' };
  if (options.session !== undefined) headers['x-keyferry-session'] = options.session;
  if (options.token !== undefined) headers['x-service-token'] = options.token;
  if (options.codes !== undefined) headers['x-service-mfa'] = options.codes;
  if (options.known?.etag !== undefined) headers['if-none-match'] = options.known.etag;
  if (isWorkspaces(path)) {
    if (method !== 'GET') headers['content-type'] = 'application/vnd.api+json';
    return { ...headers, accept: 'application/vnd.api+json' };
  }
  if (namespace !== '') headers['x-service-namespace'] = namespace;
  if (body !== undefined)
    headers['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return headers;
}

function read(reply: RawPageReply, request: string): PageReply {
  const { status, etag, isJson } = reply;
  const text = textOf(reply);
  if (text === '') return { status, whole: undefined, data: undefined, warnings: [], etag };
  const whole = isJson ? parsed(text, request, status) : text;
  const hasData = isObject(whole) && Object.hasOwn(whole, 'data');
  return { status, whole, data: hasData ? memberOf(whole, 'data') : whole, warnings: textsOf(whole, 'warnings'), etag };
}

function parsed(text: string, request: string, status: number): Value {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new CallFailure('unreadable', 'the reply is not JSON', { request, status, cause });
  }
}

function failureOf(cause: unknown, request: string, given: AbortSignal | undefined): CallFailure {
  if (given?.aborted === true) return new CallFailure('cancelled', 'the call was cancelled', { request, cause });
  const isLate = cause instanceof Error && cause.name === 'TimeoutError';
  if (isLate) return new CallFailure('timeout', 'the server did not reply in time', { request, cause });
  return new CallFailure('unreachable', 'the server cannot be reached', { request, cause });
}
