import { type Kysely, type RawBuilder, sql } from 'kysely';
import { TooManyRequests } from '#core/errors.ts';
import { int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Barrier, Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { bySpecificity, isFor, type LeaseCount, type Named, type Origin, type QuotaScope } from './quota.ts';
import { leaseCounts, listQuotas } from './store.ts';

/** Creates tokens within the capacity of lease-count quotas. */
export interface LeaseCapacity {
  /**
   * Runs `make`, which creates one expiring token with this origin.
   *
   * @throws AppError `too-many-requests`
   */
  within<T>(origin: Origin, make: (target: Target) => Promise<T>): Promise<T>;
  /** Invalidates the copy in memory. */
  forget(): void;
}

interface Target {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
}

/** A quota created by another process applies after this time, and exactly from then on. */
const ageMsMax = 1_000;
/** When a token will end cannot be predicted. */
const retryAfterSeconds = 1;

/** Whether a path has a quota is cached in memory; which quota, and its count, are read in the token's transaction. */
export function openLeaseCapacity(store: Store, now: () => number = () => performance.now()): LeaseCapacity {
  let copy: { readonly quotas: readonly Named<LeaseCount>[]; readonly readAt: number } | undefined;

  async function isLimited(origin: Origin): Promise<boolean> {
    if (copy === undefined || now() - copy.readAt >= ageMsMax)
      copy = { readAt: now(), quotas: await listQuotas(store.db, leaseCounts) };
    return copy.quotas.some((quota) => isFor(quota, origin));
  }
  return {
    async within(origin, make) {
      if (!(await isLimited(origin))) return make(store);
      return store.transaction(async (tx) => {
        await mustHaveCapacity(tx, origin);
        return make({ db: tx, barrier: store.barrier });
      });
    },
    forget() {
      copy = undefined;
    },
  };
}

/** The lock on the quota's row serializes the counts. */
async function mustHaveCapacity(tx: Kysely<Database>, origin: Origin): Promise<void> {
  const quotas = await listQuotas(tx, leaseCounts);
  const quota = bySpecificity(quotas).find((one) => isFor(one, origin));
  if (quota === undefined) return;
  const { name, max_leases } = quota;
  await sql`select 1 from quotas where kind = 'lease-count' and name = ${name} for no key update`.execute(tx);
  if ((await countLeases(tx, quota, max_leases)) < max_leases) return;
  throw new TooManyRequests(
    `lease count quota exceeded: ${JSON.stringify(name)} allows ${max_leases}`,
    retryAfterSeconds,
  );
}

/** Counts the unexpired tokens of a quota, up to `most`. Wrapping tokens are not leases. */
export async function countLeases(db: Kysely<Database>, scope: QuotaScope, most: number): Promise<number> {
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count
      from (select 1 from tokens
             where expire_at > now() and num_uses >= 0 and policies <> '{response-wrapping}' and ${isFrom(scope)} and ${isBy(scope)}
             limit ${most}::bigint) as leases`.execute(db);
  return rows[0]?.count ?? 0;
}

const isBy = ({ role }: QuotaScope): RawBuilder<unknown> =>
  role === '' ? sql`true` : sql`login_role = ${role.toLowerCase()}`;

/** The paths of tokens are relative to their namespaces. */
function isFrom({ path: full, namespace_path: own = '', inheritable }: QuotaScope): RawBuilder<unknown> {
  const path = full.slice(own.length);
  const namespaces = sql`select id from namespaces where ${inheritable ? sql`starts_with(path, ${own})` : sql`path = ${own}`}`;
  const withRoot = own === '' ? sql`namespace_id = 'root' or` : sql``;
  const isOf = own === '' && inheritable ? sql`true` : sql`(${withRoot} namespace_id in (${namespaces}))`;
  if (path === '') return isOf;
  if (path.endsWith('*')) return sql`${isOf} and starts_with(path, ${path.slice(0, -1)})`;
  return path.endsWith('/') ? sql`${isOf} and starts_with(path, ${path})` : sql`${isOf} and path = ${path}`;
}
