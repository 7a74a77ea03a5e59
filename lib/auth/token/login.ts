import { badRequest } from '../../core/errors.ts';
import { rootNamespace } from '../../core/namespace.ts';
import type { Reply, ReplyContent } from '../../path/contract/reply.ts';
import type { RequestContext } from '../../path/contract/request.ts';
import { operation } from '../../path/contract/row.ts';
import { effectiveLeases } from '../../path/lease-times.ts';
import { type FactsHolder, type Identities, openIdentities } from '../identity/facts/open.ts';
import type { Identity, LoginOperation } from '../methods/contract.ts';
import type { Claim, FinishLogin } from '../mfa/login/contract.ts';
import { issueToken, type Origin } from './issue/issue.ts';
import { policySet } from './issue/policies.ts';
import { withIdentity } from './issue/with-identity.ts';
import type { TokenParts } from './parts.ts';

/** Logins of all methods: a handler says who it is, and gets a token for him. */
export const loginOperations =
  (given: TokenParts): LoginOperation =>
  (fields, { summary, who }) => {
    const parts = loginParts(given);
    return operation(fields, {
      summary,
      unauthenticated: true,
      run: async (input, context) => answer(parts, await who(input, context), context),
    });
  };

interface LoginParts extends TokenParts {
  readonly identities: Identities;
}

const loginParts = (given: TokenParts): LoginParts => ({
  ...given,
  identities: given.identities ?? openIdentities(given.store),
});

/** What the token of a login is made of. */
interface Found {
  readonly identity: Identity;
  readonly origin: Origin;
}

/**
 * A login that has to wait for codes has no token yet.
 *
 * @throws AppError `bad-request` when the method wants a root token, `permission-denied` when the entity is disabled
 */
async function answer(parts: LoginParts, identity: Identity, context: RequestContext): Promise<Reply> {
  const { mount, path } = context;
  if (policySet(identity.policies).includes('root')) throw badRequest('auth methods cannot create root tokens');
  const named = { ...identity, displayName: `${nameOf(mount.path)}-${identity.displayName}` };
  const entity = await entityOf(parts, identity, context);
  const origin = {
    namespace: context.namespace,
    path: `${mount.path}${path}`,
    parent: undefined,
    orphan: true,
    leases: effectiveLeases(mount.config),
    entityId: entity.entityId,
    mountAccessor: mount.accessor,
  };
  const found = { identity: named, origin };
  const held = await parts.holdLogin?.({
    ...{ context, entity, principal: identity.role ?? identity.alias },
    text: () => JSON.stringify(found),
  });
  return held ?? finished(parts, found, entity);
}

/** Policies of the entity and its groups are shown with those of the token; they are not written into it. */
async function finished(
  parts: LoginParts,
  { identity, origin }: Found,
  entity: FactsHolder,
  claim?: Claim,
): Promise<ReplyContent> {
  const { auth, warnings } = await issueToken(parts, identity, origin, claim);
  const { policies } = await parts.identities.factsOf(entity);
  return { warnings, auth: withIdentity(auth, policies, origin.namespace?.id ?? rootNamespace.id) };
}

/** Goes on with a login that had to wait. Its text is one of our own, opened by the barrier. */
export const finishLogin = (given: TokenParts): FinishLogin => {
  const parts = loginParts(given);
  return async (text, claim) => {
    const found: Found = JSON.parse(text);
    return finished(parts, found, { entityId: found.origin.entityId ?? '' }, claim);
  };
};

/** Who has no alias at the method has no entity. */
async function entityOf(
  { identities }: LoginParts,
  { alias, aliasMetadata: metadata, groups }: Identity,
  { namespace, mount }: RequestContext,
): Promise<FactsHolder> {
  if (alias === '') return { entityId: '' };
  return identities.entityOf({ namespaceId: namespace.id, mount, alias, metadata, groups });
}

/** `auth/team/people/` is `team-people`. */
const nameOf = (mountPath: string): string => mountPath.replace(/^auth\/|\/$/g, '').replaceAll('/', '-');
