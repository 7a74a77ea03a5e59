import { badRequest } from '#core/errors.ts';
import { effectiveLeases } from '#path/contract/mount.ts';
import type { Reply, ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { operation } from '#path/contract/row.ts';
import type { FinishLogin, HoldLogin } from '../mfa/login/contract.ts';
import { policySet } from '../policy/names.ts';
import type { FactsHolder } from '../policy/store/facts.ts';
import { type Claim, issueToken, type Origin } from '../token/issue/issue.ts';
import type { TokenRequest } from '../token/issue/request.ts';
import { withIdentity } from '../token/issue/with-identity.ts';
import type { TokenParts } from '../token/parts.ts';
import type { Identity, LoginOperation } from './contract.ts';

interface LoginParts extends TokenParts {
  /** Asks for a second factor where an enforcement requires one. */
  readonly holdLogin: HoldLogin;
}

/** The logins of all methods: a handler returns an identity, and the reply is a token for it. */
export const loginOperations =
  (parts: LoginParts): LoginOperation =>
  (fields, { identify, ...marks }) =>
    operation(fields, {
      ...marks,
      unauthenticated: true,
      async run(input, context) {
        const proved = await identify(input, context);
        return 'reply' in proved ? proved.reply : logIn(parts, proved, context);
      },
    });

/** What the token of a login is made of. A held login is stored as this, in JSON. */
interface LoginToken {
  readonly identity: TokenRequest;
  readonly origin: Origin;
}

/**
 * Replies with a token, or with the codes that the login has to send first.
 *
 * @throws AppError `bad-request` when the method asks for a root token, `permission-denied` when the entity is disabled
 */
async function logIn(parts: LoginParts, identity: Identity, context: RequestContext): Promise<Reply> {
  const { mount, namespace, path } = context;
  if (policySet(identity.policies).includes('root')) throw badRequest('auth methods cannot create root tokens');
  const entity = await entityOf(parts, identity, context);
  const login: LoginToken = {
    identity: { ...identity, displayName: `${nameOf(mount.path)}-${identity.displayName}` },
    origin: {
      namespace,
      path: `${mount.path}${path}`,
      parent: undefined,
      orphan: true,
      leases: effectiveLeases(mount.config),
      role: '',
      entityId: entity.entityId,
      mountAccessor: mount.accessor,
    },
  };
  const held = await parts.holdLogin({
    context,
    entity,
    principal: identity.role ?? identity.alias,
    text: () => JSON.stringify(login),
  });
  return held ?? tokenOf(parts, login, entity);
}

/** The reply shows the policies of the entity and its groups with those of the token; they are not written into the token. */
async function tokenOf(
  parts: TokenParts,
  { identity, origin }: LoginToken,
  entity: FactsHolder,
  claim?: Claim,
): Promise<ReplyContent> {
  const { auth, warnings } = await issueToken(parts, identity, origin, claim);
  const { policies } = await parts.identities.factsOf(entity);
  return { warnings, auth: withIdentity(auth, policies, origin.namespace.id) };
}

/** Makes the token of a login that was held. Its text was written above and sealed by the barrier. */
export const finishLogin =
  (parts: TokenParts): FinishLogin =>
  async (text, claim) => {
    const login: LoginToken = JSON.parse(text);
    return tokenOf(parts, login, { entityId: login.origin.entityId }, claim);
  };

/** A login without an alias has no entity. */
async function entityOf(
  { identities }: TokenParts,
  { alias, aliasMetadata: metadata, groups }: Identity,
  { namespace, mount }: RequestContext,
): Promise<FactsHolder> {
  if (alias === '') return { entityId: '' };
  return identities.entityOf({ namespaceId: namespace.id, mount, alias, metadata, groups });
}

/** `auth/team/people/` becomes `team-people`. */
const nameOf = (mountPath: string): string => mountPath.replace(/^auth\/|\/$/g, '').replaceAll('/', '-');
