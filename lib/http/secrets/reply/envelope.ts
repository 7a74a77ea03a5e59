import { notFound } from '../../../core/errors.ts';
import type { Mount } from '../../../path/contract/mount.ts';
import type { AuthReply, Reply, ReplyContent, WrapInfo } from '../../../path/contract/reply.ts';
import type { Verb } from '../../../path/contract/request.ts';
import type { Outgoing } from '../../wire/exchange.ts';
import { status } from './status.ts';

/** It does not come as a stream, so it can be kept. */
interface Envelope extends Outgoing {
  readonly body: string | readonly Buffer[] | undefined;
}

/**
 * A handler's reply as an answer. Nothing to say is 204 after a change and 404 after a read; warnings need a body, so
 * they make a 200 of a 204. An empty listing is 404.
 */
export function envelope(
  reply: Reply,
  about: {
    readonly requestId: string;
    readonly verb: Verb;
    readonly mount: Mount;
    readonly warnings: readonly string[];
  },
): Envelope {
  const warnings = [...about.warnings, ...(reply?.warnings ?? [])];
  if (reply === undefined && isLooking(about.verb)) throw notFound();
  if (reply === undefined && warnings.length === 0) return { status: status.noContent, body: undefined };
  if (reply?.text !== undefined) return { status: reply.status ?? status.ok, ...reply.text };
  if (reply?.body !== undefined) return { status: reply.status ?? status.ok, body: JSON.stringify(reply.body) };
  if (reply?.wrapInfo !== undefined) return { status: status.ok, body: JSON.stringify(wrapMembers(reply.wrapInfo)) };
  if (about.verb === 'list' && isEmptyListing(reply, warnings)) throw notFound();
  const body = members(reply ?? {}, warnings, about);
  const text = reply?.written === undefined ? JSON.stringify(body) : reply.written.within(body);
  return { status: reply?.status ?? status.ok, body: text };
}

const isLooking = (verb: Verb): boolean => verb === 'read' || verb === 'list';

/** The order of the members is that of the API family. */
function members(
  reply: ReplyContent,
  warnings: readonly string[],
  about: { readonly requestId: string; readonly mount: Mount },
): object {
  return {
    request_id: about.requestId,
    lease_id: '',
    renewable: false,
    lease_duration: reply.leaseDuration ?? 0,
    data: reply.data ?? null,
    wrap_info: null,
    warnings: warnings.length > 0 ? warnings : null,
    auth: reply.auth === undefined ? null : authMembers(reply.auth),
    mount_type: about.mount.type,
    ...(reply.flat === true ? reply.data : {}),
  };
}

/** The request's id is in the wrapped reply. */
const wrapMembers = (wrapInfo: WrapInfo): object => ({
  request_id: '',
  lease_id: '',
  renewable: false,
  lease_duration: 0,
  data: null,
  wrap_info: wrapInfo,
  warnings: null,
  auth: null,
});

function authMembers(auth: AuthReply): object {
  const { client_token, accessor, policies, token_policies, metadata, ...others } = auth;
  return {
    client_token,
    accessor,
    policies,
    ...(token_policies.length > 0 ? { token_policies } : {}),
    metadata,
    ...others,
    mfa_requirement: auth.mfa_requirement ?? null,
  };
}

/** Other members beside `keys` do not save an empty listing, as in the API family; without `keys` they do. */
function isEmptyListing(reply: Reply, warnings: readonly string[]): boolean {
  if (warnings.length > 0 || reply?.status !== undefined) return false;
  const data = reply?.data ?? {};
  if (!('keys' in data)) return Object.keys(data).length === 0;
  return Array.isArray(data.keys) && data.keys.length === 0;
}
