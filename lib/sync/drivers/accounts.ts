import { LRUCache } from 'lru-cache';
import type { Clock } from '../../core/clock.ts';
import { coalesce } from '../../core/concurrency/coalesce.ts';
import type { DestinationDefinition } from '../../destinations/contract.ts';
import type { Store } from '../../store/store.ts';
import { givenOf, withDefaults } from './connection.ts';
import { type DestinationKey, openConnection } from './drivers.ts';

/** Names what the provider counts a destination's calls for. The name tells nothing of it. */
export type Accounts = (destinationId: string) => Promise<string>;

interface AccountParts {
  readonly store: Store;
  readonly clock: Clock;
}

const keptMax = 10_000;
/** A connection that was changed counts for its new account after this time. */
const keptMs = 60_000;
const together = { batchSizeMax: 200, batchesMax: 2 };

interface Row extends DestinationKey {
  readonly id: string;
  readonly connection: Buffer;
}

/** The accounts of the destinations of one type, read when first asked for and kept for a minute. */
export function keepAccounts(definition: DestinationDefinition, parts: AccountParts): Accounts {
  const kept = new LRUCache<string, string>({
    max: keptMax,
    ttl: keptMs,
    perf: { now: () => parts.clock.now().getTime() },
    ttlResolution: 0,
  });
  const load = coalesce((ids: readonly string[]) => accountsOf(definition, parts.store, ids), together);
  return async (id) => {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const account = await load(id);
    kept.set(id, account);
    return account;
  };
}

async function accountsOf(
  definition: DestinationDefinition,
  store: Store,
  ids: readonly string[],
): Promise<readonly string[]> {
  const rows: readonly Row[] = await store.db
    .selectFrom('destinations')
    .select(['id', 'namespace_id', 'type', 'name', 'connection'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const accounts = new Map(rows.map((row) => [row.id, accountOf(definition, store, row)]));
  return ids.map((id) => accounts.get(id) ?? id);
}

/** A connection that cannot be read has the rate of its own destination: what is wrong with it, the attempt finds and says. */
function accountOf(definition: DestinationDefinition, store: Store, row: Row): string {
  try {
    const connection = withDefaults(definition.fields, givenOf(openConnection(store, row, row.connection)));
    const named = JSON.stringify([definition.type, ...definition.rateAccount(connection)]);
    return store.barrier.mac('rate account', named).toString('base64url');
  } catch {
    return row.id;
  }
}
