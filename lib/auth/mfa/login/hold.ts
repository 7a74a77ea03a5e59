import { coalesce } from '#core/concurrency/coalesce.ts';
import type { Namespace } from '#core/namespace.ts';
import type { AuthReply, MfaRequirement, ReplyContent } from '#path/contract/reply.ts';
import { canonicalType, methodTypeNames } from '#path/vocabulary.ts';
import type { Store } from '#store/store.ts';
import type { FactsHolder } from '../../policy/store/facts.ts';
import type { Identities } from '../../token/identities.ts';
import { notPassed } from '../codes/attempt.ts';
import { codesOfHeader } from '../codes/header.ts';
import { type Enforcement, enforcementsAt } from '../enforcements/store.ts';
import type { HoldLogin, LoginToHold } from './contract.ts';
import { keepPending } from './pending.ts';
import { satisfy, spendFor } from './satisfy.ts';

interface HoldParts {
  readonly store: Store;
  readonly identities: Pick<Identities, 'factsOf'>;
}

/** Every login reads the present enforcements, if any exist. Concurrent logins share the result. */
export function loginHolder({ store, identities }: HoldParts): HoldLogin {
  const enforcementsOf = coalesce(
    async (namespaces: readonly Namespace[]) => {
      const found = new Map<string, Promise<readonly Enforcement[]>>();
      for (const one of namespaces) found.set(one.id, found.get(one.id) ?? enforcementsAt(store, one));
      return Promise.all(namespaces.map(({ id }) => found.get(id) ?? []));
    },
    { batchSizeMax: 1_000, batchesMax: 2 },
  );
  return async (login) => {
    if (login.entity.mayBeHeld === false) return undefined;
    const { namespace, headers } = login.context;
    const all = await enforcementsOf(namespace);
    const wanted = all.length === 0 ? [] : await matching(identities, all, login);
    if (wanted.length === 0) return undefined;
    const { entityId } = login.entity;
    // A login without an entity has no MFA secret.
    if (entityId === '') throw notPassed();
    const given = codesOfHeader(headers);
    if (given === undefined) return held(store, login, wanted);
    const proofs = await satisfy(store, entityId, wanted, given);
    await store.transaction((tx) => spendFor(tx, entityId, wanted, proofs));
    return undefined;
  };
}

async function matching(
  identities: HoldParts['identities'],
  all: readonly Enforcement[],
  { context: { mount }, entity }: LoginToHold,
): Promise<readonly Enforcement[]> {
  const asksForGroups = all.some(({ matches }) => matches.identity_group_ids.length > 0);
  const groupIds = new Set(asksForGroups ? await groupsOf(identities, entity) : []);
  const login = { accessor: mount.accessor, type: mount.type, entityId: entity.entityId, groupIds };
  return all.filter((enforcement) => appliesTo(enforcement, login));
}

const groupsOf = async ({ factsOf }: HoldParts['identities'], entity: FactsHolder): Promise<readonly string[]> =>
  (await factsOf(entity)).groupIds;

/** The reply to the first half of a login: no token, and the codes that are required for one. */
async function held(
  store: Store,
  { context: { mount }, entity: { entityId }, principal, text }: LoginToHold,
  wanted: readonly Enforcement[],
): Promise<ReplyContent> {
  const constraints = wanted.map(({ name, methods }) => ({ name, methods }));
  const id = await keepPending(store, { mountId: mount.id, principal, entityId, constraints, text: text() });
  const requirement: MfaRequirement = {
    mfa_request_id: id,
    mfa_constraints: Object.fromEntries(
      constraints.map(({ name, methods }) => [
        name,
        { any: methods.map((method) => ({ type: 'totp', id: method.id, uses_passcode: true, name: method.name })) },
      ]),
    ),
  };
  return { auth: { ...noToken, mfa_requirement: requirement }, warnings: [warning] };
}

const noToken: AuthReply = {
  client_token: '',
  accessor: '',
  policies: [],
  token_policies: [],
  metadata: null,
  lease_duration: 0,
  renewable: false,
  entity_id: '',
  token_type: '',
  orphan: false,
  num_uses: 0,
};

const warning =
  'A login request was issued that is subject to MFA validation. Please make sure to validate the login by sending ' +
  'another request to sys/mfa/validate.';

/** A login as enforcements see it. */
interface MatchedLogin {
  readonly accessor: string;
  /** Any name of the auth method. */
  readonly type: string;
  readonly entityId: string;
  /** Direct and inherited groups. */
  readonly groupIds: ReadonlySet<string>;
}

/** Whether an enforcement applies to a login. */
function appliesTo({ matches }: Enforcement, login: MatchedLogin): boolean {
  const type = canonicalType(methodTypeNames, login.type);
  return (
    matches.auth_method_accessors.includes(login.accessor) ||
    matches.auth_method_types.some((one) => canonicalType(methodTypeNames, one) === type) ||
    matches.identity_entity_ids.includes(login.entityId) ||
    matches.identity_group_ids.some((id) => login.groupIds.has(id))
  );
}
