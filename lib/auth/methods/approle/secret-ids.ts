import { badRequest } from '../../../core/errors.ts';
import { uuid } from '../../../core/ids.ts';
import type { ReplyContent } from '../../../path/contract/reply.ts';
import type { RequestContext } from '../../../path/contract/request.ts';
import { keptCidr } from '../../login/role/settings.ts';
import { isWithin } from '../../token/find/bound.ts';
import type { TokenParts } from '../../token/parts.ts';
import type { NewSecretIdInput } from './fields.ts';
import type { Role, RoleSettings } from './role.ts';
import { hashOfSecretId, insertSecretId, type NewSecretId, type SecretId } from './secret-ids-store.ts';

/** What one value of a map has at most, and all of them together, in characters. */
const metadataMax = 65_536;

/**
 * Makes a secret id for a role. `custom`: the text of it; undefined: a random one.
 *
 * @throws AppError `bad-request` when it would be allowed more than the role allows, or is there already
 */
export async function makeSecretId(
  { store }: TokenParts,
  role: Role,
  { mount }: RequestContext,
  input: NewSecretIdInput,
  custom?: string,
): Promise<ReplyContent> {
  if (!role.settings.bind_secret_id) throw badRequest('bind_secret_id is not set on the role');
  const secretId = custom ?? uuid();
  const entry = entryOf(role.settings, input);
  const made = await insertSecretId(store, role, hashOfSecretId(store, mount.id, secretId), entry);
  if (!made) throw badRequest('SecretID is already registered');
  return {
    data: {
      secret_id: secretId,
      secret_id_accessor: entry.accessor,
      secret_id_ttl: entry.ttl,
      secret_id_num_uses: entry.num_uses,
    },
    secretAccessor: entry.accessor,
  };
}

function entryOf(settings: RoleSettings, input: NewSecretIdInput): NewSecretId {
  const { metadata = {}, num_uses: uses = settings.secret_id_num_uses, ttl = settings.secret_id_ttl } = input;
  if (uses < 0) throw badRequest("'num_uses' cannot be negative");
  if (isBeyond(uses, settings.secret_id_num_uses))
    throw badRequest("num_uses cannot be higher than the role's secret_id_num_uses");
  if (isBeyond(ttl, settings.secret_id_ttl)) throw badRequest("ttl cannot be longer than the role's secret_id_ttl");
  if (JSON.stringify(metadata).length > metadataMax)
    throw badRequest(`metadata: it has more than ${metadataMax} characters`);
  return {
    accessor: uuid(),
    ...{ num_uses: uses, ttl, metadata },
    cidrs: subset('cidr_list', input.cidr_list, settings.secret_id_bound_cidrs),
    token_cidrs: subset('token_bound_cidrs', input.token_bound_cidrs, settings.token_bound_cidrs),
  };
}

/** 0: without limit. */
const isBeyond = (wanted: number, limit: number): boolean => limit > 0 && (wanted === 0 || wanted > limit);

function subset(name: string, given: readonly string[] = [], limits: readonly string[]): readonly string[] {
  const kept = given.map(keptCidr);
  const outside = limits.length === 0 ? undefined : kept.find((cidr) => !isWithin(cidr, limits));
  if (outside !== undefined) throw badRequest(`${name}: ${outside} is not within the blocks of the role`);
  return kept;
}

/** As look-ups answer it. */
export const shownSecretId = (secretId: SecretId) => ({
  secret_id_accessor: secretId.accessor,
  secret_id_num_uses: secretId.uses_left,
  secret_id_ttl: secretId.ttl,
  creation_time: secretId.created_at.toISOString(),
  // The time zero of the family stands for never.
  expiration_time: secretId.expire_at?.toISOString() ?? '0001-01-01T00:00:00Z',
  last_updated_time: secretId.updated_at.toISOString(),
  metadata: secretId.metadata,
  cidr_list: secretId.cidrs,
  token_bound_cidrs: secretId.token_cidrs,
});
