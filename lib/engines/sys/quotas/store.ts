import { type Kysely, sql } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import type { LeaseCount, Named, QuotaScope, RateLimit } from './quota.ts';

export type QuotaKind = 'rate-limit' | 'lease-count';
type Quota = RateLimit | LeaseCount;

/** Every request is compared with every rate limit. */
export const quotasMax = 500;

export interface StoredQuotas<Q extends Quota> {
  list(): Promise<readonly Named<Q>[]>;
  find(name: string): Promise<Named<Q> | undefined>;
  /** @throws AppError `bad-request` when another quota is for the same requests, and when there are too many */
  put(quota: Named<Q>): Promise<void>;
  remove(name: string): Promise<void>;
}

export const storedQuotas = <Q extends Quota>({ db, transaction }: Store, kind: QuotaKind): StoredQuotas<Q> => {
  const list = (tx: Kysely<Database>) => listQuotas<Q>(tx, kind);
  return {
    list: () => list(db),
    find: async (name) => (await list(db)).find((quota) => quota.name === name),
    put: ({ name, ...quota }) =>
      transaction(async (tx) => {
        // Two that are put at the same time see each other.
        await sql`select pg_advisory_xact_lock(hashtext('quotas'))`.execute(tx);
        const others = (await list(tx)).filter((other) => other.name !== name);
        mustBeAlone(quota, others);
        await sql`
          insert into quotas (kind, name, quota) values (${kind}, ${name}, ${JSON.stringify(quota)}::jsonb)
              on conflict (namespace_id, kind, name) do update set quota = excluded.quota`.execute(tx);
      }),
    async remove(name) {
      await db.deleteFrom('quotas').where('kind', '=', kind).where('name', '=', name).execute();
    },
  };
};

export async function listQuotas<Q extends Quota>(db: Kysely<Database>, kind: QuotaKind): Promise<readonly Named<Q>[]> {
  const { rows } = await sql<{ readonly named: Named<Q> }>`
    select quota || jsonb_build_object('name', name) as named from quotas where kind = ${kind} order by name`.execute(
    db,
  );
  return rows.map(({ named }) => named);
}

/** A path with a slash at its end is for what is below, as one with `*` behind that is. */
const plain = (path: string): string => path.replace(/\/\*$/, '/');

function mustBeAlone(quota: QuotaScope, others: readonly Named<QuotaScope>[]): void {
  const same = others.find(({ path, role }) => plain(path) === plain(quota.path) && role === quota.role);
  if (same !== undefined)
    throw badRequest(`quota rule with similar properties exists under the name ${JSON.stringify(same.name)}`);
  if (others.length >= quotasMax) throw badRequest(`there are at most ${quotasMax} quotas of one kind`);
}
