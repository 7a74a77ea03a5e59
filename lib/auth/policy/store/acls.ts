import { LRUCache } from 'lru-cache';
import { stepByStep } from '#core/concurrency/yielding.ts';
import { AppError } from '#core/errors.ts';
import { isRoot, isWithin, type Namespace } from '#core/namespace.ts';
import type { TypeNames } from '#path/vocabulary.ts';
import type { Store } from '#store/store.ts';
import { type Acl, compilingAcl } from '../acl.ts';
import { parsingPolicy } from '../parse.ts';
import type { Policy, PolicyName } from '../rule.ts';
import { rulesFor } from '../template.ts';
import type { EntityFacts, FactsOf, Grants } from './facts.ts';
import { grantsOfHolder, type Holder } from './holder.ts';
import { readSnapshot } from './snapshot.ts';

/** The compiled ACLs of callers. */
export interface Acls {
  /** The ACL of a holder, at least as new as every revision seen before the call and as the state of the holder's entity. */
  of(holder: Holder): Promise<Acl>;
  /** Whether a holder has policies of a namespace or of one above it, including those of its groups. */
  reachInto(holder: Holder, namespace: Namespace): Promise<boolean>;
  /** Reports a revision of the policies that was read in the store. Older ACLs are no longer used. */
  seenRevision(revision: number): void;
}

/** Bounds of the cache: rules, of about a kilobyte each, and ACLs. */
const rulesMax = 100_000;
const setsMax = 10_000;
/** Bound of the cache of parsed policies. */
const textCharactersMax = 16_777_216;

/** Policies, and the entity that their templates refer to. */
interface Wanted {
  readonly grants: Grants;
  readonly facts: EntityFacts;
}

interface Kept {
  readonly revision: number;
  readonly policies: readonly PlacedPolicy[];
  readonly acl: Acl;
}

/** A policy and its namespace. */
interface PlacedPolicy {
  readonly namespace: Namespace;
  readonly policy: Policy;
}

export interface AclParts {
  readonly store: Store;
  readonly identities: { readonly factsOf: FactsOf };
  /** The names of destination types, which patterns can contain. */
  readonly typeNames: TypeNames;
}

/** Most requests find their ACL in the cache. After a change of any policy, each set of policies in use reads the store once. */
export function openAcls({ store, identities: { factsOf }, typeNames }: AclParts): Acls {
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
    const acl =
      before !== undefined && isSame(before.policies, policies)
        ? before.acl
        : await compile(policies, facts, typeNames);
    const fresh = { revision, policies, acl };
    // Another read may have finished meanwhile.
    const present = kept.get(key);
    if (present === undefined || present.revision <= revision) kept.set(key, fresh);
    return fresh;
  }

  /** Concurrent calls share a read of the store unless they have seen a newer revision. */
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
      const facts = await factsOf(holder);
      const grants = grantsOfHolder(holder, facts);
      // The key of the facts covers the policies of other namespaces.
      const key = [holder.namespace.id, facts.key, ...(grants[0]?.names ?? [])].join('\0');
      const found = kept.get(key);
      if (found !== undefined && found.revision >= newest) return found.acl;
      return (await loadOnce(key, { grants, facts })).acl;
    },
    async reachInto(holder, namespace) {
      if (isWithin(namespace, holder.namespace)) return true;
      const { policies } = await factsOf(holder);
      return policies.some((one) => isWithin(namespace, one.namespace));
    },
    seenRevision(revision) {
      newest = Math.max(newest, revision);
    },
  };
}

const rulesOf = ({ acl }: Kept): number => acl.exact.size + acl.globs.size + 1;

/** Comparing objects is enough, since a parsed policy belongs to one namespace. */
const isSame = (some: readonly PlacedPolicy[], others: readonly PlacedPolicy[]): boolean =>
  some.length === others.length && some.every(({ policy }, index) => policy === others[index]?.policy);

function compile(policies: readonly PlacedPolicy[], facts: EntityFacts, names: TypeNames): Promise<Acl> {
  const rules = policies.flatMap(({ namespace, policy }) => {
    const own = rulesFor(policy, facts.subjectIn(namespace.id));
    return isRoot(namespace) ? own : own.map((rule) => ({ ...rule, below: namespace.path }));
  });
  return stepByStep(compilingAcl(rules, names));
}

/** Returns the same object for the same text, so that unchanged policies are recognised. */
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

/** Adds the name of the policy to each rule, so that a decision can report the granting policies. */
const named = (policy: Policy, name: PolicyName): Policy => ({
  ...policy,
  rules: policy.rules.map((rule) => ({ ...rule, shares: [{ policy: name, capabilities: rule.capabilities }] })),
});

/** A stored policy that cannot be parsed may contain a denial, so its holders are granted nothing. */
async function readable(name: string, text: string): Promise<Policy> {
  try {
    return await stepByStep(parsingPolicy(text));
  } catch (cause) {
    throw new AppError('internal', `the stored policy ${JSON.stringify(name)} cannot be parsed: ${String(cause)}`);
  }
}
