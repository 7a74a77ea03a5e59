import type { AuditedCaller, AuditedOperation, AuditedOutcome, AuditedRequest } from '#audit/contract.ts';
import { isJsonObject } from '#core/json/json.ts';
import { rootNamespace } from '#core/namespace.ts';
import type { ApiCaller, ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import { type SecretPart, straySecrets } from '#path/shown-path.ts';
import type { Exchange, Outcome } from './exchange.ts';
import type { ApiParts } from './parts.ts';
import { Refused } from './refuse.ts';

/**
 * Requests to the workspace service are recorded like those to the secrets service: the request before it runs, and the outcome before the
 * reply. For uploads and downloads of files only the size is recorded.
 *
 * @throws AppError `internal` when no enabled device has recorded it
 */
export async function recordRequest({ auditor }: ApiParts, exchange: Exchange): Promise<void> {
  if (auditor.idle || exchange.found?.row.unrecorded === true) return;
  exchange.recording = await auditor.begin(requestOf(exchange));
}

/** @throws AppError `internal` when no enabled device has recorded it */
export async function recordOutcome({ auditor, state }: ApiParts, exchange: Exchange, outcome: Outcome): Promise<void> {
  if (exchange.recording !== undefined) return exchange.recording.end(outcomeOf(exchange, outcome));
  if (!('error' in outcome) || auditor.idle || exchange.found?.row.unrecorded === true || state() !== 'ready') return;
  if (outcome.error instanceof Refused && outcome.error.atTheDoor) return;
  await auditor.refused(requestOf(exchange), outcome.error);
}

/** The path of a request, and the secret parts of it that logs must not show in the clear. */
export function recordedPath({ url, found }: Pick<Exchange, 'url' | 'found'>): {
  readonly path: string;
  readonly secrets: readonly SecretPart[];
} {
  const path = url.pathname.slice(1);
  return { path, secrets: found === undefined ? straySecrets(path) : secretsOf(found.row, path) };
}

/** The segments of a path are at the same positions as those of the row's pattern. */
function secretsOf({ path: pattern, secrets }: ApiRow, path: string): readonly SecretPart[] {
  const values = path.split('/');
  return pattern
    .slice(1)
    .split('/')
    .flatMap((segment, at) => {
      const claimOf = segment.startsWith(':') ? secrets[segment.slice(1)] : undefined;
      return claimOf === undefined ? [] : [{ at, toEnd: false, claim: claimOf(values[at] ?? '') }];
    });
}

function requestOf(exchange: Exchange): AuditedRequest {
  const { incoming, token, caller } = exchange;
  return {
    id: incoming.requestId,
    operation: operations[incoming.method] ?? 'update',
    ...recordedPath(exchange),
    namespace: rootNamespace,
    mount: undefined,
    data: dataOf(exchange),
    token,
    caller: caller && auditedCaller(caller),
    decision: undefined,
    connection: incoming.connection,
    headers: incoming.headers,
    wrapSeconds: undefined,
  };
}

const operations: Readonly<Record<string, AuditedOperation>> = {
  GET: 'read',
  HEAD: 'read',
  POST: 'create',
  PATCH: 'patch',
  PUT: 'update',
  DELETE: 'delete',
};

/** The query, the members of the document, and for an uploaded file the size in its header. */
function dataOf({ incoming, url, found, body }: Exchange): object {
  const query = Object.fromEntries(url.searchParams);
  const isFile = found?.row.streamBytesMax !== undefined;
  const bytes = isFile ? { http_body_bytes: incoming.body.length } : {};
  return {
    ...query,
    ...(isJsonObject(body ?? null) ? (body as object) : body === undefined ? {} : { data: body }),
    ...bytes,
  };
}

const idNames: Readonly<Record<string, string>> = { 'audit-trail': 'organization_id', agents: 'agent_pool_id' };

function auditedCaller(caller: ApiCaller): AuditedCaller {
  if (caller.kind === 'user' && caller.elsewhere !== undefined)
    return { ...caller.elsewhere, metadata: { ...caller.elsewhere.issued?.metadata, user_id: caller.id } };
  return {
    accessor: caller.tokenId ?? '',
    displayName: caller.kind === 'user' ? caller.username : caller.id,
    policies: [],
    entityId: '',
    tokenType: caller.kind,
    metadata: { [idNames[caller.kind] ?? `${caller.kind}_id`]: caller.id },
  };
}

function outcomeOf(exchange: Exchange, outcome: Outcome): AuditedOutcome {
  if ('error' in outcome) return { error: outcome.error };
  const { reply } = outcome;
  const received =
    exchange.found?.row.streamBytesMax === undefined ? {} : { http_received_bytes: exchange.receivedBytes };
  if (reply !== undefined && 'data' in reply) {
    const { data, included, meta } = reply;
    return {
      reply: { body: { data, included, meta } },
      warnings: [],
      lists: ['data', 'included'].filter((name) => Array.isArray(Reflect.get(reply, name))),
    };
  }
  const sizes = { ...received, ...(reply === undefined ? {} : sentBytes(reply)) };
  return { reply: Object.keys(sizes).length === 0 ? undefined : { body: sizes }, warnings: [] };
}

/** The size of a reply that is not a document. */
function sentBytes(reply: Exclude<ApiReply, { readonly data: unknown }>): object {
  const { bytes, headers } = reply;
  if (bytes === undefined) return {};
  if (typeof bytes === 'string' || Buffer.isBuffer(bytes)) return { http_body_bytes: Buffer.byteLength(bytes) };
  const length = headers?.['content-length'];
  return length === undefined ? {} : { http_body_bytes: Number(length) };
}
