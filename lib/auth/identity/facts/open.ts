import { LRUCache } from 'lru-cache';
import { uuid } from '#core/ids.ts';
import type { Store } from '#store/store.ts';
import { type EntityFacts, noEntity } from '../../policy/store/facts.ts';
import type { Identities } from '../../token/identities.ts';
import { entityOfLogin } from '../login/entity-of-login.ts';
import { readFacts } from './read.ts';

/** Bounds of the cache: groups, policies and aliases of all entities, and entities. */
const partsMax = 200_000;
const entitiesMax = 20_000;

/**
 * Caches facts by the state of the entity. A state describes one moment of the entity and of all groups, so facts that were read
 * for it are never older than it.
 */
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
      if (entityId === '') return noEntity;
      if (entityState === undefined) return readFacts(store, entityId, uuid());
      const key = `${entityId} ${entityState}`;
      const known = kept.get(key) ?? underWay.get(key);
      if (known !== undefined) return known;
      const begun = load(key, entityId).finally(() => underWay.delete(key));
      underWay.set(key, begun);
      return begun;
    },
  };
}

const partsOf = ({ groupIds, policies, subjectIn }: EntityFacts): number =>
  1 + groupIds.length + policies.flatMap(({ names }) => names).length + (subjectIn('').entity?.aliases.size ?? 0);
