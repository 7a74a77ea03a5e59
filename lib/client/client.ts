import type { Fields, Operation, Parameters } from './operation.ts';
import { type AnyRequest, isWorkspaces, queryOf, requestOf, verbOf } from './request.ts';
import type { Connection } from './wire/connection.ts';
import type { RawReply } from './wire/exchange.ts';
import { CallFailure } from './wire/failure.ts';
import type { Value } from './wire/json.ts';
import { isObject, memberOf, parseJson, printJson, textsOf } from './wire/json.ts';
import { refusal } from './wire/refusal.ts';
import { exchangeWithRetries } from './wire/retry.ts';

/** The reply to a call. */
export interface Reply {
  readonly status: number;
  /** The whole document; undefined without a body. */
  readonly whole: Value | undefined;
  /** Its `data`; of a reply without an envelope, the whole document. */
  readonly data: Value | undefined;
  readonly warnings: readonly string[];
}

export interface Client {
  /** @throws CallFailure unless the server does as asked */
  call<const O extends Operation>(
    operation: O,
    parameters: Parameters<O>,
    ...fields: O extends { readonly fields: readonly string[] } ? [fields?: Fields<O, Value>] : [fields?: Value]
  ): Promise<Reply>;
  /** @throws CallFailure unless the server does as asked */
  ask(request: AnyRequest): Promise<Reply>;
  /** The text of a file, by its whole address, which must be on the same server. @throws CallFailure */
  download(address: string): Promise<Buffer>;
}

/** Opens no connection: the first call does. */
export function openClient(connection: Connection, signal?: AbortSignal): Client {
  const send = async (request: AnyRequest): Promise<Reply> => {
    const { method, path } = verbOf(request);
    const body = request.body === undefined ? undefined : printJson(request.body);
    const raw = await exchangeWithRetries(connection, {
      method,
      path: `${path}${queryOf(request)}`,
      headers: headersOf(connection, request),
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const label = `${request.method} ${path}`;
    refuse(raw, label);
    return replyOf(raw, label);
  };
  return {
    ask: send,
    call: (operation, parameters, ...[fields]) =>
      send(requestOf(operation, parameters as never, fields as Value | undefined)),
    async download(address) {
      const { origin, pathname, search } = new URL(address, `${connection.address}/`);
      const request = `GET ${pathname}`;
      // The address has a grant of its own, and another server must not see the token.
      const at = origin === new URL(connection.address).origin ? connection : { ...connection, token: undefined };
      const raw = await exchangeWithRetries(at, {
        method: 'GET',
        path: `${origin}${pathname}${search}`,
        headers: {},
        signal,
      });
      refuse(raw, request);
      return raw.body;
    },
  };
}

/** A redirect is not followed, because it would take the token along, and has nothing of what was asked for. */
function refuse(raw: RawReply, request: string): void {
  if (raw.status >= 400) throw refusal(raw, request);
  if (raw.status < 300) return;
  const to = raw.headers.location ?? 'another address';
  throw new CallFailure('refused', `the server redirects to ${to}, and redirects are not followed`, {
    request,
    status: raw.status,
  });
}

function headersOf(
  { token, namespace, codes }: Connection,
  { method, path, body }: AnyRequest,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (isWorkspaces(path)) {
    if (token !== undefined) headers['authorization'] = `Bearer ${token.reveal()}`;
    // The service refuses a change without this type, even without a body.
    if (method !== 'GET') headers['content-type'] = 'application/vnd.api+json';
    headers['accept'] = 'application/vnd.api+json';
    return headers;
  }
  if (token !== undefined) headers['x-service-token'] = token.reveal();
  if (codes !== undefined) headers['x-service-mfa'] = codes.reveal();
  if (namespace !== '') headers['x-service-namespace'] = namespace;
  if (body !== undefined)
    headers['content-type'] = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return headers;
}

function replyOf({ status, headers, body }: RawReply, request: string): Reply {
  const text = body.toString();
  if (text === '') return { status, whole: undefined, data: undefined, warnings: [] };
  const whole = isJson(headers['content-type']) ? parsed(text, request, status) : text;
  const hasData = isObject(whole) && Object.hasOwn(whole, 'data');
  return { status, whole, data: hasData ? memberOf(whole, 'data') : whole, warnings: textsOf(whole, 'warnings') };
}

const isJson = (type: string | undefined): boolean => /\bjson\b/.test(type ?? '');

function parsed(text: string, request: string, status: number): Value {
  try {
    return parseJson(text);
  } catch (cause) {
    throw new CallFailure('unreadable', 'the reply is not JSON: is the address that of a Keyferry server?', {
      request,
      status,
      cause,
    });
  }
}
