import { LRUCache } from 'lru-cache';
import type { Clock } from '#core/clock.ts';
import { coalesce } from '#core/concurrency/coalesce.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Store } from '#store/store.ts';
import { givenOf, withDefaults } from './connection.ts';
import { type DestinationKey, openConnection } from './drivers.ts';

/** Returns the rate account of a destination: an opaque name for what the provider counts its calls against. */
export type Accounts = (destinationId: string) => Promise<string>;

interface AccountParts {
  readonly store: Store;
  readonly clock: Clock;
}

const keptMax = 10_000;
/** How long an account is cached; a changed connection counts against its new account after this time. */
const keptMs = 60_000;
const together = { batchSizeMax: 200, batchesMax: 2 };

interface Row extends DestinationKey {
  readonly id: string;
  readonly connection: Buffer;
  readonly rate_group: string | null;
}

/** What determines the account of a destination. */
interface Counted {
  readonly namespaceId: string;
  /** Given by the user. It may be wrong, so it does not reach beyond its namespace. */
  readonly rateGroup: string | null;
  /** The given fields. */
  readonly connection: Readonly<Record<string, unknown>>;
}

/** Looks up the accounts of the destinations of one type and caches them for a minute. */
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
    .select(['id', 'namespace_id', 'type', 'name', 'connection', 'rate_group'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
  const accounts = new Map(rows.map((row) => [row.id, accountOf(definition, store, row)]));
  return ids.map((id) => accounts.get(id) ?? id);
}

/** The account of a destination: its rate group or, without one, what the provider is known to count its calls against. */
export function accountFor(
  definition: DestinationDefinition,
  { barrier }: Pick<Store, 'barrier'>,
  { namespaceId, rateGroup, connection }: Counted,
): string {
  const [purpose, ...parts] =
    rateGroup === null
      ? ['rate account', ...definition.rateAccount(withDefaults(definition.fields, connection))]
      : ['rate group', namespaceId, rateGroup];
  return barrier.mac(purpose, JSON.stringify([definition.type, ...parts])).toString('base64url');
}

/** A destination whose connection cannot be read gets a separate account; the attempt then reports what is wrong. */
function accountOf(definition: DestinationDefinition, store: Store, row: Row): string {
  try {
    const { namespace_id: namespaceId, rate_group: rateGroup } = row;
    const connection = rateGroup === null ? givenOf(openConnection(store, row, row.connection)) : {};
    return accountFor(definition, store, { namespaceId, rateGroup, connection });
  } catch {
    return row.id;
  }
}
