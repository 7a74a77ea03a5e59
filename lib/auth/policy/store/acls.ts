import { LRUCache } from 'lru-cache';
import { stepByStep } from '../../../core/concurrency/yielding.ts';
import { AppError } from '../../../core/errors.ts';
import { isRoot, isWithin, type Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import type { Grants } from '../../identity/facts/grants.ts';
import { type Identities, openIdentities } from '../../identity/facts/open.ts';
import type { EntityFacts } from '../../identity/facts/read.ts';
import { type Acl, compilingAcl } from '../acl.ts';
import { parsingPolicy } from '../parse.ts';
import type { Policy, PolicyName } from '../rule.ts';
import { rulesFor } from '../template.ts';
import { grantsOfHolder, type Holder } from './holder.ts';
import { readSnapshot } from './snapshot.ts';

/** What tokens may do, ready to be asked. */
export interface Acls {
  /** At least as new as every revision that was seen before the call, and as the state of the holder's entity. */
  of(holder: Holder): Promise<Acl>;
  /** Whether a holder has policies of a namespace or of one above it, its groups' among them. */
  reachInto(holder: Holder, namespace: Namespace): Promise<boolean>;
  /** A revision of the policies that someone read in the store: what is older is not used any more. */
  seenRevision(revision: number): void;
}

/** Of all ACLs that are kept, and of one that may be kept. A rule takes about a kilobyte. */
const rulesMax = 100_000;
const setsMax = 10_000;
/** Of the texts whose meaning is kept. */
const textCharactersMax = 16_777_216;

/** Policies, and whom they are for. */
interface Wanted {
  readonly grants: Grants;
  readonly facts: EntityFacts;
}

interface Kept {
  readonly revision: number;
  readonly policies: readonly PlacedPolicy[];
  readonly acl: Acl;
}

/** A policy and whose it is. */
interface PlacedPolicy {
  readonly namespace: Namespace;
  readonly policy: Policy;
}

/** Most requests find their ACL here. A change of any policy costs each set of policies in use one look at the store. */
export function openAcls(store: Store, identities: Identities = openIdentities(store)): Acls {
  const kept = new LRUCache<string, Kept>({ max: setsMax, maxSize: rulesMax, sizeCalculation: rulesOf });
  const underWay = new Map<string, Promise<Kept>>();
  const parse = rememberingParser();
  let newest = 0;

  async function load(key: string, { grants, facts }: Wanted): Promise<Kept> {
    const { revision, texts } = await readSnapshot(store, grants);
    const policies: PlacedPolicy[] = [];
    for (const { namespace, name, text } of texts)
      policies.push({ namespace, policy: await parse(namespace.id, name, text) });
    const before = kept.get(key);
    const acl = before !== undefined && isSame(before.policies, policies) ? before.acl : await compile(policies, facts);
    const fresh = { revision, policies, acl };
    // Another look may have ended meanwhile.
    const present = kept.get(key);
    if (present === undefined || present.revision <= revision) kept.set(key, fresh);
    return fresh;
  }

  /** Who comes later may wait for the same look at the store only if he has not seen a newer revision. */
  function loadOnce(key: string, wanted: Wanted): Promise<Kept> {
    const at = `${newest}\0${key}`;
    const there = underWay.get(at);
    if (there !== undefined) return there;
    const begun = load(key, wanted).finally(() => underWay.delete(at));
    underWay.set(at, begun);
    return begun;
  }

  return {
    async of(holder) {
      const facts = await identities.factsOf(holder);
      const grants = grantsOfHolder(holder, facts);
      // What the holder has of other namespaces is among the facts.
      const key = [holder.namespace.id, facts.key, ...(grants[0]?.names ?? [])].join('\0');
      const found = kept.get(key);
      if (found !== undefined && found.revision >= newest) return found.acl;
      return (await loadOnce(key, { grants, facts })).acl;
    },
    async reachInto(holder, namespace) {
      if (isWithin(namespace, holder.namespace)) return true;
      const { policies } = await identities.factsOf(holder);
      return policies.some((one) => isWithin(namespace, one.namespace));
    },
    seenRevision(revision) {
      newest = Math.max(newest, revision);
    },
  };
}

const rulesOf = ({ acl }: Kept): number => acl.exact.size + acl.globs.size + 1;

/** A policy object is of one namespace only. */
const isSame = (some: readonly PlacedPolicy[], others: readonly PlacedPolicy[]): boolean =>
  some.length === others.length && some.every(({ policy }, index) => policy === others[index]?.policy);

function compile(policies: readonly PlacedPolicy[], facts: EntityFacts): Promise<Acl> {
  const rules = policies.flatMap(({ namespace, policy }) => {
    const own = rulesFor(policy, facts.subjectIn(namespace.id));
    return isRoot(namespace) ? own : own.map((rule) => ({ ...rule, below: namespace.path }));
  });
  return stepByStep(compilingAcl(rules));
}

/** The same text gives the same object, so that it is seen what has not changed. */
function rememberingParser(): (namespaceId: string, name: string, text: string) => Promise<Policy> {
  const remembered = new LRUCache<string, { readonly text: string; readonly policy: Policy }>({
    maxSize: textCharactersMax,
    sizeCalculation: ({ text }) => text.length + 1,
  });
  return async (namespaceId, name, text) => {
    const key = `${namespaceId}/${name}`;
    const before = remembered.get(key);
    if (before?.text === text) return before.policy;
    const policy = named(await readable(name, text), { name, namespaceId });
    remembered.set(key, { text, policy });
    return policy;
  };
}

/** The policy with its name at each rule, so that a decision can say who has granted something. */
const named = (policy: Policy, name: PolicyName): Policy => ({
  ...policy,
  rules: policy.rules.map((rule) => ({ ...rule, shares: [{ policy: name, capabilities: rule.capabilities }] })),
});

/** A stored policy that cannot be read may hold a denial, so nothing that it belongs to is granted. */
async function readable(name: string, text: string): Promise<Policy> {
  try {
    return await stepByStep(parsingPolicy(text));
  } catch (cause) {
    throw new AppError('internal', `the stored policy ${JSON.stringify(name)} cannot be read: ${String(cause)}`);
  }
}
