import { type Kysely, sql, type Transaction } from 'kysely';
import { badField, badRequest } from '#core/errors.ts';
import { bigintText, bool, int, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type RuleOwner, ruleColumns, ruleStates, rulesMax, type SyncRule } from './rule.ts';
import { selectRule } from './statements.ts';
import { walkAgain } from './work.ts';

/** A rule as a request stores it. */
export interface NewRule {
  readonly namespaceId: string;
  readonly name: string;
  readonly mount: { readonly id: string; readonly path: string };
  readonly prefix: string;
  readonly glob: string | null;
  readonly customMetadata: Readonly<Record<string, string>>;
  readonly destinationIds: readonly string[];
  readonly granularity: string | null;
  readonly template: string | null;
  readonly adopt: boolean;
  readonly owner: RuleOwner;
  /** How many secrets there are to look at. */
  readonly total: number;
}

/**
 * Stores a rule, which then begins its walk. The rule is locked before the writers of the mount are kept away: one of them may wait for
 * a transaction that works with the rule.
 *
 * @throws AppError `bad-request` when there are too many rules, it is being deleted, or the mount or a destination has gone
 */
export async function saveRule({ transaction }: Pick<Store, 'transaction'>, rule: NewRule): Promise<void> {
  await transaction(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('sync_rules_of'), hashtext(${rule.namespaceId}))`.execute(tx);
    await mustBeStorable(tx, rule);
    await sql`select pg_advisory_xact_lock(hashtext('sync_rules'), hashtext(${rule.mount.id}))`.execute(tx);
    const { rows } = await upsert(rule).execute(tx);
    const [stored] = rows;
    if (stored === undefined) throw new Error('the database returned no row');
    await saveDestinations(tx, stored.id, rule.destinationIds);
  });
}

async function mustBeStorable(tx: Transaction<Database>, { namespaceId, name, mount }: NewRule): Promise<void> {
  const { rows } = await rowsOf({ state: oneOf(...ruleStates) })`
    select state from sync_rules where namespace_id = ${namespaceId} and name = ${name} for update`.execute(tx);
  const [before] = rows;
  if (before?.state === 'deleting')
    throw badRequest(`the rule ${JSON.stringify(name)} is being deleted: try again when it is gone`);
  const { rows: others } = await rowsOf({ count: int, mounted: bool })`
    select (select count(*)::int from sync_rules where namespace_id = ${namespaceId}) as count,
           exists (select 1 from mounts where id = ${mount.id}::uuid and path = ${mount.path} and removed_at is null) as mounted`.execute(
    tx,
  );
  if (before === undefined && (others[0]?.count ?? 0) >= rulesMax)
    throw badRequest(`a namespace has at most ${rulesMax} rules: delete one, or let one select more`);
  if (others[0]?.mounted !== true)
    throw badField('mount', `the mount ${JSON.stringify(mount.path)} was moved or deleted meanwhile: try again`);
}

const upsert = (rule: NewRule) => rowsOf({ id: bigintText })`
  insert into sync_rules as r (namespace_id, name, mount_id, mount_path, prefix, glob, custom_metadata, granularity, template, adopt,
                               owner, total, walk)
  values (${rule.namespaceId}, ${rule.name}, ${rule.mount.id}::uuid, ${rule.mount.path}, ${rule.prefix}, ${rule.glob}::text,
          ${JSON.stringify(rule.customMetadata)}::jsonb, ${rule.granularity}::text, ${rule.template}::text, ${rule.adopt}::boolean,
          ${JSON.stringify(rule.owner)}::jsonb, ${rule.total}::int, 'held')
  on conflict (namespace_id, name) do update
     set renews = r.renews or (r.granularity, r.template, r.adopt) is distinct from
                              (excluded.granularity, excluded.template, excluded.adopt),
         mount_id = excluded.mount_id, mount_path = excluded.mount_path, prefix = excluded.prefix, glob = excluded.glob,
         custom_metadata = excluded.custom_metadata, granularity = excluded.granularity, template = excluded.template,
         adopt = excluded.adopt, owner = excluded.owner, total = excluded.total, revision = r.revision + 1, state = 'active',
         reason = null, denied_secret = null, updated_at = now(), ${walkAgain}
  returning id::text as id`;

async function saveDestinations(tx: Transaction<Database>, ruleId: string, ids: readonly string[]): Promise<void> {
  await sql`
    delete from sync_rule_destinations
     where rule_id = ${ruleId}::bigint and destination_id <> all(${ids}::bigint[])`.execute(tx);
  const { rows } = await sql`
    with kept as (select id from destinations where id = any(${ids}::bigint[]) order by id for key share),
    made as (
      insert into sync_rule_destinations (rule_id, destination_id)
      select ${ruleId}::bigint, id from kept on conflict do nothing
    )
    select id from kept`.execute(tx);
  if (rows.length < ids.length) throw badField('destinations', 'a destination was deleted meanwhile: try again');
}

/** A rule with what a read shows besides. */
export type ShownRule = SyncRule & { readonly current_path: string | null };

const shownColumns = {
  ...ruleColumns,
  /** The path of its mount now; null when the mount was deleted. */
  current_path: nullable(text),
};

const shown = sql`${selectRule}, (select m.path from mounts m where m.id = r.mount_id and m.removed_at is null) as current_path`;

export async function loadRule(
  { db }: { readonly db: Kysely<Database> },
  namespaceId: string,
  name: string,
): Promise<ShownRule | undefined> {
  const { rows } = await rowsOf(shownColumns)`
    select ${shown} from sync_rules r where r.namespace_id = ${namespaceId} and r.name = ${name}`.execute(db);
  return rows[0];
}

/** All rules of a namespace, by name; their number is bounded. */
export async function listRules({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<readonly ShownRule[]> {
  const { rows } = await rowsOf(shownColumns)`
    select ${shown} from sync_rules r where r.namespace_id = ${namespaceId} order by r.name limit ${rulesMax}::int`.execute(
    db,
  );
  return rows;
}

/** Begins to delete a rule: the sweep ends its associations, or keeps them, and deletes it. One that is being deleted stays as it is. */
export async function beginDeletion(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  name: string,
  keeps: boolean,
): Promise<void> {
  await sql`
    update sync_rules
       set state = 'deleting', reason = null, denied_secret = null, keeps = ${keeps}, revision = revision + 1, ${walkAgain}
     where namespace_id = ${namespaceId} and name = ${name} and state <> 'deleting'`.execute(db);
}

/** How many associations of a rule at a destination have a status. */
export interface RuleCount {
  readonly type: string;
  readonly name: string;
  readonly status: string;
  readonly count: number;
}

/** Associations that are counted at most. */
export const countedMax = 100_000;

/** The associations of a rule by destination and status, counted up to a bound. */
export async function countRule({ db }: Pick<Store, 'db'>, ruleId: string): Promise<readonly RuleCount[]> {
  const { rows } = await rowsOf({ type: text, name: text, status: text, count: int })`
    with found as materialized (
      select destination_id, status from associations
       where rule_id = ${ruleId}::bigint and desired = 'present' limit ${countedMax}::int
    ),
    counted as (select destination_id, status, count(*)::int as count from found group by destination_id, status)
    select d.type, d.name, c.status, c.count from counted c join destinations d on d.id = c.destination_id
     order by d.type, d.name, c.status`.execute(db);
  return rows;
}
