import { notFound } from '#core/errors.ts';
import type { Mount } from '#path/contract/mount.ts';
import type { AnyReply, AuthReply, WrapInfo } from '#path/contract/reply.ts';
import type { Verb } from '#path/contract/request.ts';
import { status } from '../server/failure.ts';
import type { Outgoing } from '../wire/exchange.ts';

/** Unlike other answers it is never a stream, so it can be stored. */
interface Envelope extends Outgoing {
  readonly body: string | readonly Buffer[] | undefined;
}

/**
 * A handler's reply as an answer. An undefined reply is 204 after a change and 404 after a read. Warnings need a body, so with
 * them a 204 becomes a 200. An empty listing is 404.
 */
export function envelope(
  reply: AnyReply,
  about: {
    readonly requestId: string;
    readonly verb: Verb;
    readonly mount: Mount;
    readonly warnings: readonly string[];
  },
): Envelope {
  const warnings = [...about.warnings, ...(reply?.warnings ?? [])];
  if (reply === undefined && isReading(about.verb)) throw notFound();
  if (reply === undefined && warnings.length === 0) return { status: status.noContent, body: undefined };
  if (reply?.status === status.notModified) return withHeaders(reply, { status: reply.status, body: undefined });
  if (reply?.text !== undefined) return { status: reply.status ?? status.ok, ...reply.text };
  if (reply?.body !== undefined) return ownForm(reply, reply.body);
  if (reply?.wrapInfo !== undefined) return { status: status.ok, body: JSON.stringify(wrapMembers(reply.wrapInfo)) };
  if (about.verb === 'list' && isEmptyListing(reply, warnings)) throw notFound();
  const body = members(reply ?? {}, warnings, about);
  const text = reply?.written === undefined ? JSON.stringify(body) : reply.written.within(body);
  return withHeaders(reply, { status: reply?.status ?? status.ok, body: text });
}

const ownForm = (reply: NonNullable<AnyReply>, body: object): Envelope =>
  withHeaders(reply, { status: reply.status ?? status.ok, body: JSON.stringify(body) });

const withHeaders = (reply: AnyReply, answer: Envelope): Envelope =>
  reply?.headers === undefined ? answer : { ...answer, headers: reply.headers };

const isReading = (verb: Verb): boolean => verb === 'read' || verb === 'list';

/** The members are in the same order as in the API family. */
function members(
  reply: NonNullable<AnyReply>,
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

/** The id of the request is inside the wrapped reply. */
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

/** As in the API family, a listing with empty `keys` is empty whatever other members it has; without `keys` they count. */
function isEmptyListing(reply: AnyReply, warnings: readonly string[]): boolean {
  if (warnings.length > 0 || reply?.status !== undefined) return false;
  const data = reply?.data ?? {};
  if (!('keys' in data)) return Object.keys(data).length === 0;
  return Array.isArray(data.keys) && data.keys.length === 0;
}
