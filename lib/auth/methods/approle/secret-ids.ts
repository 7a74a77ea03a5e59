import { badField, badRequest } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import type { ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { isWithin } from '../../cidr.ts';
import { cidrIn } from '../../login/role/settings.ts';
import type { TokenParts } from '../../token/parts.ts';
import type { NewSecretIdInput } from './fields.ts';
import type { Role, RoleSettings } from './role.ts';
import { hashOfSecretId, insertSecretId, type NewSecretId, type SecretId } from './secret-ids-store.ts';

/** Bounds of metadata in characters: of one value, and of all entries together. */
const metadataMax = 65_536;

/**
 * Creates a secret id for a role.
 *
 * @param custom the text; undefined for a random one
 * @throws AppError `bad-request` when it exceeds the limits of the role, or exists already
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
  if (!made) throw badField('secret_id', 'SecretID is already registered');
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
  if (uses < 0) throw badField('num_uses', "'num_uses' cannot be negative");
  if (isBeyond(uses, settings.secret_id_num_uses))
    throw badField('num_uses', "num_uses cannot be higher than the role's secret_id_num_uses");
  if (isBeyond(ttl, settings.secret_id_ttl))
    throw badField('ttl', "ttl cannot be longer than the role's secret_id_ttl");
  if (JSON.stringify(metadata).length > metadataMax)
    throw badField('metadata', `metadata may have at most ${metadataMax} characters`);
  return {
    accessor: uuid(),
    num_uses: uses,
    ttl,
    metadata,
    cidrs: subset('cidr_list', input.cidr_list, settings.secret_id_bound_cidrs),
    token_cidrs: subset('token_bound_cidrs', input.token_bound_cidrs, settings.token_bound_cidrs),
  };
}

/** Whether a value exceeds a limit; 0 is unlimited. */
const isBeyond = (wanted: number, limit: number): boolean => limit > 0 && (wanted === 0 || wanted > limit);

function subset(
  name: 'cidr_list' | 'token_bound_cidrs',
  given: readonly string[] = [],
  limits: readonly string[],
): readonly string[] {
  const cidrs = given.map(cidrIn(name));
  const outside = limits.length === 0 ? undefined : cidrs.find((cidr) => !isWithin(cidr, limits));
  if (outside !== undefined) throw badField(name, `${name}: ${outside} is not within the CIDR blocks of the role`);
  return cidrs;
}

/** A secret id as clients read it. */
export const shownSecretId = (secretId: SecretId) => ({
  secret_id_accessor: secretId.accessor,
  secret_id_num_uses: secretId.uses_left,
  secret_id_ttl: secretId.ttl,
  creation_time: secretId.created_at.toISOString(),
  // In the API family the zero time means that it does not expire.
  expiration_time: secretId.expire_at?.toISOString() ?? '0001-01-01T00:00:00Z',
  last_updated_time: secretId.updated_at.toISOString(),
  metadata: secretId.metadata,
  cidr_list: secretId.cidrs,
  token_bound_cidrs: secretId.token_cidrs,
});
