import { LRUCache } from 'lru-cache';
import { AppError } from '../../../core/errors.ts';
import type { Store } from '../../../store/store.ts';
import { type Identities, openIdentities } from '../../identity/facts/open.ts';
import type { EntityFacts } from '../../identity/facts/read.ts';
import { type Acl, compileAcl } from '../acl.ts';
import { parsePolicy } from '../parse.ts';
import type { Policy } from '../rule.ts';
import { rulesFor, type Subject } from '../template.ts';
import { type Holder, policyNamesOf } from './holder.ts';
import { readSnapshot } from './snapshot.ts';

/** What tokens may do, ready to be asked. */
export interface Acls {
  /**
   * At least as new as every revision that was seen before the call, and as the state of the holder's entity.
   */
  of(holder: Holder): Promise<Acl>;
  /** A revision of the policies that someone read in the store: what is older is not used any more. */
  seenRevision(revision: number): void;
}

/** Of all ACLs that are kept, and of one that may be kept. A rule takes about a kilobyte. */
const rulesMax = 100_000;
const setsMax = 10_000;
/** Of the texts whose meaning is kept. */
const textCharactersMax = 16_777_216;

interface Kept {
  readonly revision: number;
  readonly policies: readonly Policy[];
  readonly acl: Acl;
}

/** Most requests find their ACL here. A change of any policy costs each set of policies in use one look at the store. */
export function openAcls(store: Store, identities: Identities = openIdentities(store)): Acls {
  const kept = new LRUCache<string, Kept>({ max: setsMax, maxSize: rulesMax, sizeCalculation: rulesOf });
  const underWay = new Map<string, Promise<Kept>>();
  const parse = rememberingParser();
  let newest = 0;

  async function load(key: string, names: readonly string[], facts: EntityFacts): Promise<Kept> {
    const { revision, texts } = await readSnapshot(store, names);
    const policies = [...texts].map(([name, text]) => parse(name, text));
    const before = kept.get(key);
    const acl =
      before !== undefined && isSame(before.policies, policies) ? before.acl : compile(policies, facts.subject);
    const fresh = { revision, policies, acl };
    if (before === undefined || before.revision <= revision) kept.set(key, fresh);
    return fresh;
  }

  /** Who comes later may wait for the same look at the store only if he has not seen a newer revision. */
  function loadOnce(key: string, names: readonly string[], facts: EntityFacts): Promise<Kept> {
    const at = `${newest}\0${key}`;
    const there = underWay.get(at);
    if (there !== undefined) return there;
    const begun = load(key, names, facts).finally(() => underWay.delete(at));
    underWay.set(at, begun);
    return begun;
  }

  return {
    async of(holder) {
      const facts = await identities.factsOf(holder);
      const names = policyNamesOf(holder, facts);
      const key = [facts.key, ...names].join('\0');
      const found = kept.get(key);
      if (found !== undefined && found.revision >= newest) return found.acl;
      return (await loadOnce(key, names, facts)).acl;
    },
    seenRevision(revision) {
      newest = Math.max(newest, revision);
    },
  };
}

const rulesOf = ({ acl }: Kept): number => acl.exact.size + acl.globs.size + 1;

const isSame = (some: readonly Policy[], others: readonly Policy[]): boolean =>
  some.length === others.length && some.every((policy, index) => policy === others[index]);

const compile = (policies: readonly Policy[], subject: Subject): Acl =>
  compileAcl(policies.flatMap((policy) => rulesFor(policy, subject)));

/** The same text gives the same object, so that it is seen what has not changed. */
function rememberingParser(): (name: string, text: string) => Policy {
  const remembered = new LRUCache<string, { readonly text: string; readonly policy: Policy }>({
    maxSize: textCharactersMax,
    sizeCalculation: ({ text }) => text.length + 1,
  });
  return (name, text) => {
    const before = remembered.get(name);
    if (before?.text === text) return before.policy;
    const policy = readable(name, text);
    remembered.set(name, { text, policy });
    return policy;
  };
}

/** A stored policy that cannot be read may hold a denial, so nothing that it belongs to is granted. */
function readable(name: string, text: string): Policy {
  try {
    return parsePolicy(text);
  } catch (cause) {
    throw new AppError('internal', `the stored policy ${JSON.stringify(name)} cannot be read: ${String(cause)}`);
  }
}
