import { type Kysely, type RawBuilder, sql } from 'kysely';
import { TooManyRequests } from '../../../core/errors.ts';
import type { Barrier, Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { bySpecificity, isFor, type LeaseCount, type Named, type Origin, type QuotaScope } from './quota.ts';
import { listQuotas } from './store.ts';

/** Makes tokens where lease-count quotas leave capacity for them. */
export interface LeaseCapacity {
  /**
   * Runs `make`, which makes one token that comes from there and ends some time.
   *
   * @throws AppError `too-many-requests`
   */
  within<T>(origin: Origin, make: (target: Target) => Promise<T>): Promise<T>;
  /** What is kept in memory is old. */
  forget(): void;
}

interface Target {
  readonly db: Kysely<Database>;
  readonly barrier: Barrier;
}

/** A quota that another process has made holds after that time. From then on it is exact. */
const ageMsMax = 1_000;
/** Nobody knows when a token will end. */
const retryAfterSeconds = 1;

/** Whether there is a quota for a path is kept in memory; which one and its number are read with the token's transaction. */
export function openLeaseCapacity(store: Store, now: () => number = () => performance.now()): LeaseCapacity {
  let copy: { readonly quotas: readonly Named<LeaseCount>[]; readonly readAt: number } | undefined;

  async function isLimited(origin: Origin): Promise<boolean> {
    if (copy === undefined || now() - copy.readAt >= ageMsMax)
      copy = { readAt: now(), quotas: await listQuotas<LeaseCount>(store.db, 'lease-count') };
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

/** The lock of the quota's row puts those who count in order. */
async function mustHaveCapacity(tx: Kysely<Database>, origin: Origin): Promise<void> {
  const quotas = await listQuotas<LeaseCount>(tx, 'lease-count');
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

/** Tokens that a quota is for and that have not ended; counts to `most` at most. Those of wrapped replies are no leases. */
export async function countLeases(db: Kysely<Database>, scope: QuotaScope, most: number): Promise<number> {
  const { rows } = await sql<{ readonly count: number }>`
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
