import type { Kysely } from 'kysely';
import { coalesce, splitting } from '#core/concurrency/coalesce.ts';
import { isAway } from '#store/postgres/failure.ts';
import { text, timestamptz } from '#store/sql/kinds.ts';
import { type From, prepared } from '#store/sql/prepared.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import type { NewToken } from './new-token.ts';

/** A token with the values that are generated for it. */
export interface TokenEntry {
  readonly hash: Buffer;
  readonly accessor: string;
  readonly token: NewToken;
}

/**
 * Writes a token and returns the time by the clock of the store, from which its life is counted. Undefined when a token with the hash
 * exists, or when the parent may not have children. Concurrent writes outside of transactions share a statement and a commit.
 */
export function insertToken(db: Kysely<Database>, entry: TokenEntry): Promise<Date | undefined> {
  if (db.isTransaction) return insertTokens(db, [entry]).then(([made]) => made);
  return gatheredFor(db)(entry);
}

const gathered = new WeakMap<Kysely<Database>, (entry: TokenEntry) => Promise<Date | undefined>>();

function gatheredFor(db: Kysely<Database>): (entry: TokenEntry) => Promise<Date | undefined> {
  const known = gathered.get(db);
  if (known !== undefined) return known;
  const written = splitting((entries: readonly TokenEntry[]) => insertTokens(db, entries), isAway);
  const together = coalesce(written, { batchSizeMax: 64, batchesMax: 2, gatherMs: 20 });
  const insert = async (entry: TokenEntry): Promise<Date | undefined> => (await together(entry))();
  gathered.set(db, insert);
  return insert;
}

/**
 * Locks the parents while their children are written, so that a concurrent deletion of a parent waits and finds the child. The time is
 * that of the statement, since its transaction may have waited before.
 */
async function insertTokens(
  db: Kysely<Database>,
  entries: readonly TokenEntry[],
): Promise<readonly (Date | undefined)[]> {
  const written = new Map(
    (await insertStatement(db, entries)).map(({ accessor, creation_time }) => [accessor, creation_time]),
  );
  return entries.map(({ accessor }) => written.get(accessor));
}

const madeColumns = { accessor: text, creation_time: timestamptz };

/** The select hides the number of parents from the planner, so it reuses its plan. */
const insertStatement = prepared(
  madeColumns,
  (from: From<readonly TokenEntry[]>) => rowsOf(madeColumns)`
    with holder as materialized (
      select hash from tokens
       where hash = any((select ${from((entries) => entries.flatMap(({ token }) => token.parent ?? []))}::bytea[])::bytea[]) and revoked_at is null and num_uses = 0
         and (expire_at is null or expire_at > now())
       order by hash for key share
    )
    insert into tokens (hash, namespace_id, accessor, parent, policies, meta, display_name, path, type, num_uses, period, explicit_max_ttl,
                        creation_ttl, creation_time, expire_at, last_renewal_at, renewable, orphan, entity_id, role, login_role, bound_cidrs)
    select decode(i.hash, 'hex'), namespace_id, accessor, decode(i.parent, 'hex'), policies, meta, display_name, path, 'service', num_uses, period,
           explicit_max_ttl, creation_ttl, statement_timestamp(),
           case when creation_ttl > 0 then statement_timestamp() + make_interval(secs => creation_ttl) end, null, renewable, orphan, entity_id, role, login_role, bound_cidrs
      from jsonb_to_recordset(${from((entries) => JSON.stringify(entries.map(recordOf)))}::jsonb) as i (
             hash text, namespace_id text, accessor text, parent text, policies text[], meta jsonb, display_name text, path text, num_uses int,
             period int, explicit_max_ttl int, creation_ttl int, renewable boolean, orphan boolean, entity_id text, role text, login_role text, bound_cidrs text[])
     where i.parent is null or decode(i.parent, 'hex') in (select h.hash from holder h)
        on conflict (hash) do nothing returning accessor, creation_time`,
);

function recordOf({ hash, accessor, token }: TokenEntry): object {
  return {
    hash: hash.toString('hex'),
    namespace_id: token.namespaceId,
    accessor,
    parent: token.parent?.toString('hex') ?? null,
    policies: token.policies,
    meta: token.meta,
    display_name: token.displayName,
    path: token.path,
    num_uses: token.numUses,
    period: token.period,
    explicit_max_ttl: token.explicitMaxTtl,
    creation_ttl: token.ttl,
    renewable: token.renewable,
    orphan: token.orphan,
    entity_id: token.entityId,
    role: token.role,
    login_role: token.loginRole,
    bound_cidrs: token.boundCidrs,
  };
}
