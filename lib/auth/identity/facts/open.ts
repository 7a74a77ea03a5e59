import { LRUCache } from 'lru-cache';
import { uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';
import type { EntityOfLogin } from '../login/contract.ts';
import { entityOfLogin } from '../login/entity-of-login.ts';
import { type EntityFacts, nobody, readFacts } from './read.ts';

/** Whose facts are asked for, as the look-up of a token says it. */
export interface FactsHolder {
  readonly entityId: string;
  /** Absent: nothing that is kept is good enough. */
  readonly entityState?: string | undefined;
  /** False: nothing at all asks logins for a second factor. Absent: that is not known. */
  readonly mayBeHeld?: boolean;
}

/** What entities bring to their tokens. */
export interface Identities {
  /** At least as new as the state that the holder names. */
  factsOf(holder: FactsHolder): Promise<EntityFacts>;
  /** The entity of a login, made where there is none. */
  readonly entityOf: EntityOfLogin;
}

/** Of all facts that are kept: groups and aliases, and entities. */
const partsMax = 200_000;
const entitiesMax = 20_000;

/** A state is of one moment of an entity and of all groups, so facts that were read for it are never too old for it. */
export function openIdentities(store: Store): Identities {
  const kept = new LRUCache<string, EntityFacts>({ max: entitiesMax, maxSize: partsMax, sizeCalculation: partsOf });
  const underWay = new Map<string, Promise<EntityFacts>>();

  async function load(key: string, entityId: string): Promise<EntityFacts> {
    const facts = await readFacts(store, entityId, key);
    kept.set(key, facts);
    return facts;
  }

  return {
    entityOf: entityOfLogin(store),
    async factsOf({ entityId, entityState }) {
      if (entityId === '') return nobody;
      if (entityState === undefined) return readFacts(store, entityId, uuid());
      const key = `${entityId} ${entityState}`;
      const there = kept.get(key) ?? underWay.get(key);
      if (there !== undefined) return there;
      const begun = load(key, entityId).finally(() => underWay.delete(key));
      underWay.set(key, begun);
      return begun;
    },
  };
}

const partsOf = ({ groupIds, policies, subjectIn }: EntityFacts): number =>
  1 + groupIds.length + policies.flatMap(({ names }) => names).length + (subjectIn('').entity?.aliases.size ?? 0);
