import { badField, badRequest, invalidToken, permissionDenied } from '#core/errors.ts';
import { isRoot } from '#core/namespace.ts';
import { effectiveLeases } from '#path/contract/mount.ts';
import type { Reply } from '#path/contract/reply.ts';
import type { Caller, RequestContext } from '#path/contract/request.ts';
import { policySet } from '../../policy/names.ts';
import { missingPolicies } from '../../policy/store/snapshot.ts';
import { findTokens, hashToken } from '../find/store.ts';
import { issueToken } from '../issue/issue.ts';
import { withIdentity } from '../issue/with-identity.ts';
import type { TokenParts } from '../parts.ts';
import type { TokenRole } from '../roles/role.ts';
import { entityOfAlias } from './entity.ts';
import type { CreateInput } from './fields.ts';
import { limitsOf } from './limits.ts';
import { choosePolicies } from './policies.ts';

/** The way a token is created. */
export interface CreateWay {
  readonly role: TokenRole | undefined;
  /** Through `create-orphan`, which needs no further privilege. */
  readonly orphan: boolean;
  /** CIDR blocks that bind the token instead of those of the role. */
  readonly cidrs?: readonly string[];
}

/** Creates a token with the token of the caller. @throws AppError `bad-request` that names the broken rule, `already-exists` */
export async function createToken(
  parts: TokenParts,
  input: CreateInput,
  context: RequestContext,
  { role, orphan, cidrs }: CreateWay,
): Promise<Reply> {
  const { caller, namespace } = context;
  if (caller === undefined) throw permissionDenied();
  if (caller.tokenType === 'batch') throw badRequest('batch tokens cannot create more tokens');
  const privileged = caller.root || context.sudo;
  checkId(input);
  checkRights(input, { privileged, role });
  if (!isRoot(namespace) && policySet(input.policies ?? []).includes('root'))
    throw badField('policies', 'root tokens may not be created from a non-root namespace');
  // Policies of two namespaces have only their names in common, so those of the caller cannot be passed on.
  const isElsewhere = caller.namespace.id !== namespace.id;
  if (isElsewhere && !privileged) throw badRequest(elsewhere);
  const noDefault = input.no_default_policy || role?.no_default_policy === true;
  const limits = limitsOf(input, role, usualType(context));
  const policies = choosePolicies({
    asked: input.policies ?? [],
    noDefault,
    parent: isElsewhere ? ['default'] : caller.policies,
    privileged,
    role,
  });
  const root = policies.includes('root');
  if (root && limits.bounds.type === 'batch')
    throw badField(['policies', 'type'], 'batch tokens cannot be root tokens');
  const isOrphan = orphan || input.no_parent || role?.orphan === true;
  const named = await entityOfAlias(parts.identities.entityOf, input.entity_alias, role, context);
  const entity = named ?? (isOrphan || isElsewhere ? { entityId: '' } : caller);
  const { auth, warnings } = await issueToken(
    parts,
    {
      displayName: displayNameOf(input),
      policies,
      metadata: input.meta ?? null,
      bounds: {
        ...limits.bounds,
        ...(cidrs === undefined ? {} : { cidrs }),
        noDefaultPolicy: !policies.includes('default'),
      },
    },
    {
      namespace,
      path: pathOf(role, orphan),
      parent: await parentOf(parts, caller, root || isOrphan || limits.bounds.type === 'batch'),
      orphan: isOrphan,
      id: input.id === '' ? undefined : input.id,
      leases: effectiveLeases(context.mount.config),
      role: role?.name ?? '',
      entityId: entity.entityId,
      mountAccessor: '',
    },
  );
  const unknown = await missingPolicies(parts.store, namespace, auth.policies);
  const grants = (await parts.identities.factsOf(entity)).policies;
  return {
    auth: withIdentity(auth, grants, namespace.id),
    warnings: [
      ...limits.warnings,
      ...warnings,
      ...(input.id === '' ? [] : [ownId]),
      ...unknown.map((policy) => `Policy ${JSON.stringify(policy)} does not exist`),
    ],
  };
}

const elsewhere = 'root or sudo privileges required to directly generate a token in a child namespace';

const ownId =
  'Supplying a custom ID for the token makes it as easy to guess as that ID. Leave the ID out for a random token.';

function checkId({ id }: CreateInput): void {
  for (const start of ['hvs.', 'hvb.', 's.', 'b.']) {
    if (id.startsWith(start)) throw badField('id', `custom token ID cannot have the '${start}' prefix`);
  }
  if (!/^[\x21-\x7e]*$/.test(id))
    throw badField(
      'id',
      'custom token ID may contain visible ASCII characters only, since clients send it in a header',
    );
  if (id.includes('.')) throw badField('id', "custom token ID cannot have a '.' in the value");
}

function checkRights(
  input: CreateInput,
  { privileged, role }: { readonly privileged: boolean; readonly role: TokenRole | undefined },
): void {
  if (input.num_uses < 0) throw badField('num_uses', 'number of uses cannot be negative');
  if (input.id !== '' && input.type === 'batch') throw badField(['id', 'type'], 'batch tokens cannot have a custom ID');
  if (privileged) return;
  if (input.id !== '') throw badField('id', 'root or sudo privileges required to specify token id');
  if (input.no_parent && role?.orphan !== true)
    throw badField('no_parent', 'root or sudo privileges required to create orphan token');
  if (input.period > 0 && (role?.period ?? 0) === 0)
    throw badField('period', 'root or sudo privileges required to create periodic token');
}

/**
 * The insert of a child checks its parent. A token that is not written as a child, or whose life depends on that of the parent, needs
 * a look-up here.
 */
async function parentOf({ store }: TokenParts, caller: Caller, mustCheck: boolean) {
  const hash = hashToken(store.barrier, caller.token);
  if (!mustCheck) return { hash, expires: true };
  const [row] = await findTokens(store, [hash], -1);
  if (row === undefined) throw invalidToken();
  if (row.num_uses !== 0) throw badRequest('restricted use token cannot generate child tokens');
  return { hash, expires: row.expire_at !== null };
}

const pathOf = (role: TokenRole | undefined, orphan: boolean): string => {
  if (role === undefined) return orphan ? 'auth/token/create-orphan' : 'auth/token/create';
  return `auth/token/create/${role.name}${role.path_suffix === '' ? '' : `/${role.path_suffix}`}`;
};

/** The type that the mount is tuned to, for requests without a role and for roles that leave it to the mount. */
const usualType = ({ mount }: RequestContext): 'service' | 'batch' => {
  const tuned = mount.config['token_type'];
  return tuned === 'batch' || tuned === 'default-batch' ? 'batch' : 'service';
};

function displayNameOf({ display_name }: CreateInput): string {
  return `token-${display_name.replace(/[^A-Za-z0-9-]/g, '-')}`.replace(/-$/, '');
}
