import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { badField, badRequest } from '#core/errors.ts';
import { storedSetting } from '#store/settings.ts';
import { jsonOf, type Kind } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { groupings, type LeaseCount, type Named, type QuotaScope, type RateLimit } from './quota.ts';

export type QuotaKind = 'rate-limit' | 'lease-count';
type Quota = RateLimit | LeaseCount;
const scope = { path: z.string(), role: z.string(), inheritable: z.boolean(), namespace_path: z.string().optional() };

/** A kind of quota as it is stored, with its name. */
export interface QuotaForm<Q extends Quota> {
  readonly kind: QuotaKind;
  readonly named: Kind<Named<Q>, string>;
}

export const rateLimits: QuotaForm<RateLimit> = {
  kind: 'rate-limit',
  named: jsonOf(
    z.strictObject({
      ...scope,
      name: z.string(),
      rate: z.number(),
      interval: z.number(),
      block_interval: z.number(),
      group_by: z.enum(groupings).optional(),
    }),
  ),
};

export const leaseCounts: QuotaForm<LeaseCount> = {
  kind: 'lease-count',
  named: jsonOf(z.strictObject({ ...scope, name: z.string(), max_leases: z.number() })),
};

/** Every request is compared with every rate limit. */
export const quotasMax = 500;

export interface StoredQuotas<Q extends Quota> {
  list(): Promise<readonly Named<Q>[]>;
  find(name: string): Promise<Named<Q> | undefined>;
  /** @throws AppError `bad-request` when another quota has the same scope, and when there are too many */
  put(quota: Named<Q>): Promise<void>;
  remove(name: string): Promise<void>;
}

export const storedQuotas = <Q extends Quota>({ db, transaction }: Store, form: QuotaForm<Q>): StoredQuotas<Q> => {
  const { kind } = form;
  const list = (tx: Kysely<Database>) => listQuotas(tx, form);
  return {
    list: () => list(db),
    find: async (name) => (await list(db)).find((quota) => quota.name === name),
    put: ({ name, ...quota }) =>
      transaction(async (tx) => {
        // Serializes concurrent writes, so that each sees the other.
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

export async function listQuotas<Q extends Quota>(
  db: Kysely<Database>,
  { kind, named: form }: QuotaForm<Q>,
): Promise<readonly Named<Q>[]> {
  const { rows } = await rowsOf({ named: form })`
    select quota || jsonb_build_object('name', name) as named from quotas where kind = ${kind} order by name`.execute(
    db,
  );
  return rows.map(({ named }) => named);
}

/** A path with a final slash has the same scope as one with a final `/*`. */
const plain = (path: string): string => path.replace(/\/\*$/, '/');

function mustBeAlone(quota: QuotaScope, others: readonly Named<QuotaScope>[]): void {
  const same = others.find(({ path, role }) => plain(path) === plain(quota.path) && role === quota.role);
  if (same !== undefined)
    throw badField(
      ['path', 'role'],
      `quota rule with similar properties exists under the name ${JSON.stringify(same.name)}`,
    );
  if (others.length >= quotasMax) throw badRequest(`there are at most ${quotasMax} quotas of one kind`);
}

/** Settings that apply to all quotas. */
export interface QuotaConfig {
  /** Full paths; a final `*` matches every path with that prefix. */
  readonly rate_limit_exempt_paths: readonly string[];
  readonly enable_rate_limit_response_headers: boolean;
  /** Accepted and stored for clients that set it; it has no effect. */
  readonly enable_rate_limit_audit_logging: boolean;
}

const unsetConfig: QuotaConfig = {
  rate_limit_exempt_paths: [],
  enable_rate_limit_response_headers: false,
  enable_rate_limit_audit_logging: false,
};
/** The stored form. */
export const quotaSetting = storedSetting<QuotaConfig>(
  'quotas',
  z.object({
    rate_limit_exempt_paths: z.array(z.string()),
    enable_rate_limit_response_headers: z.boolean(),
    enable_rate_limit_audit_logging: z.boolean(),
  }),
);

export const readQuotaConfig = async ({ db }: Store): Promise<QuotaConfig> =>
  (await quotaSetting.read(db)) ?? unsetConfig;
