import { type Eventual, mapMaybePromise } from '#core/concurrency/eventual.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { AuditedDecision, AuditedRequest } from '../contract.ts';
import { hashedJson } from './hashed-json.ts';
import type { Marks, RecordedHeaders } from './marks.ts';

/** The members `auth` and `request` of both lines of a request, as JSON text without braces. */
export function requestMembers(request: AuditedRequest, marks: Marks, headers: RecordedHeaders): Eventual<string> {
  const { token, accessor } = whoOf(request, marks);
  const auth = JSON.stringify(authOf(request, token, accessor));
  const members = JSON.stringify({
    id: request.id,
    client_id: request.caller?.entityId || undefined,
    operation: request.operation,
    ...mountMembers(request.mount),
    client_token: token,
    client_token_accessor: accessor,
    namespace: { id: request.namespace.id, path: request.namespace.path },
    path: marks.path(request),
    remote_address: request.connection.remoteAddress,
    remote_port: request.connection.remotePort,
    wrap_ttl: request.wrapSeconds,
    headers: marks.headers(request.headers, headers),
  });
  const text = `"auth":${auth},"request":${members.slice(0, -1)}`;
  return mapMaybePromise(dataOf(request, marks), (data) => `${text}${data === undefined ? '' : `,"data":${data}`}}`);
}

/** Empty when no token was sent; without the accessor when the token is not valid. */
function whoOf(
  { token, caller }: AuditedRequest,
  marks: Marks,
): { readonly token?: string; readonly accessor?: string } {
  if (token === undefined) return {};
  return caller === undefined ? { token: marks.text(token.reveal()) } : marks.callers(token, caller);
}

/** Undefined when the request has no data. */
function dataOf({ data, mount }: AuditedRequest, { hasher }: Marks): Eventual<string | undefined> {
  if (!hasMembers(data)) return undefined;
  const clear = clearKeys(mount, 'audit_non_hmac_request_keys');
  return hashedJson(data, { hasher, clear, read: (written) => written });
}

function hasMembers(data: object): boolean {
  for (const _name in data) return true;
  return false;
}

/** Names of members that the settings of the mount exempt from the HMAC. */
export function clearKeys(
  mount: Mount | undefined,
  setting: 'audit_non_hmac_request_keys' | 'audit_non_hmac_response_keys',
): readonly string[] {
  const keys = mount?.config[setting];
  return Array.isArray(keys) ? keys : [];
}

export const mountMembers = (mount: Mount | undefined): object | undefined =>
  mount && {
    mount_point: mount.path,
    mount_type: mount.type,
    mount_accessor: mount.accessor,
    mount_class: mount.path.startsWith('auth/') ? 'auth' : 'secret',
  };

function authOf({ caller, decision }: AuditedRequest, token: string | undefined, accessor: string | undefined): object {
  const results = decision && { policy_results: resultsOf(decision) };
  if (caller === undefined) return { ...results };
  return {
    client_token: token,
    accessor,
    display_name: caller.displayName,
    policies: caller.policies,
    token_policies: caller.policies,
    ...results,
    metadata: caller.metadata ?? caller.issued?.metadata ?? undefined,
    entity_id: caller.entityId || undefined,
    token_type: caller.tokenType,
    token_ttl: caller.issued?.ttlSeconds,
    token_issue_time: caller.issued?.time.toISOString(),
  };
}

const resultsOf = ({ allowed, why, grantedBy }: AuditedDecision): object => ({
  allowed,
  granting_policies: grantedBy?.map(({ name, namespaceId }) => ({ type: 'acl', name, namespace_id: namespaceId })),
  ...(why === undefined ? {} : { reason: why }),
});
