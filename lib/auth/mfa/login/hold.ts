import { coalesce } from '../../../core/concurrency/coalesce.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { AuthReply, MfaRequirement, ReplyContent } from '../../../path/contract/reply.ts';
import type { Store } from '../../../store/store.ts';
import type { FactsHolder, Identities } from '../../identity/facts/open.ts';
import { notPassed } from '../codes/attempt.ts';
import { codesOfHeader } from '../codes/header.ts';
import { isFor } from '../enforcements/match.ts';
import { type Enforcement, enforcementsAt } from '../enforcements/store.ts';
import type { HoldLogin, LoginToHold } from './contract.ts';
import { keepPending } from './pending.ts';
import { satisfy, spendFor } from './satisfy.ts';

interface HoldParts {
  readonly store: Store;
  readonly identities: Pick<Identities, 'factsOf'>;
}

/** Every login asks for the enforcements of now, if there are any; those of one moment share the answer. */
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
    // Without an entity there is no secret, and so no code.
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
  return all.filter((enforcement) => isFor(enforcement, login));
}

const groupsOf = async ({ factsOf }: HoldParts['identities'], entity: FactsHolder): Promise<readonly string[]> =>
  (await factsOf(entity)).groupIds;

/** The first half of a login in two: no token, and what there has to be for one. */
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
