import { type Kysely, sql, type Transaction } from 'kysely';
import type { Dirty } from '#store/outbox.ts';
import { int, text, uuid } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type EvaluateParts, evaluate } from './evaluate.ts';
import { ruleColumns, type SyncRule } from './rule.ts';
import { selectRule } from './statements.ts';

/** Secrets that one step looks at. */
export const namesMax = 500;

export interface StepParts extends EvaluateParts {
  readonly store: Pick<Store, 'transaction' | 'db'>;
}

export interface Step {
  readonly dirty: readonly Dirty[];
  /** False when it has to wait for capacity of the queue, or for another sweep. */
  readonly moved: boolean;
}

const still: Step = { dirty: [], moved: false };

/**
 * Goes one step on the walk of a rule, in one transaction with its place, so that a process that dies leaves either all of it or nothing.
 */
export async function walkStep(parts: StepParts, ruleId: string, most: number): Promise<Step> {
  return parts.store.transaction(async (tx) => {
    const rule = await takeRule(tx, ruleId);
    if (rule === undefined || rule.walk === null || rule.state === 'suspended') return still;
    if (rule.state === 'deleting' && rule.keeps) return letGo(tx, rule);
    const page =
      rule.walk === 'held'
        ? await heldPage(tx, rule.id, { mountId: rule.walk_mount, secretName: rule.walk_secret })
        : await secretPage(parts, rule);
    if (page.names.length === 0) return nextWalk(tx, rule);
    const evaluated = await evaluate(tx, parts, page.mountId, page.names, most);
    if (evaluated === undefined) return still;
    const last = evaluated.done.at(-1);
    await sql`
      update sync_rules
         set walk_mount = case when ${last !== undefined} then ${page.mountId}::uuid else walk_mount end,
             walk_secret = coalesce(${last ?? null}::text, walk_secret), turned_at = clock_timestamp(),
             walked = walked + ${rule.walk === 'secrets' ? evaluated.done.length : 0}::int
       where id = ${ruleId}::bigint`.execute(tx);
    return { dirty: evaluated.dirty, moved: evaluated.done.length > 0 || evaluated.dirty.length > 0 };
  });
}

/** Undefined while another transaction works with it. */
export async function takeRule(tx: Transaction<Database>, id: string): Promise<SyncRule | undefined> {
  const { rows } = await rowsOf(ruleColumns)`
    select ${selectRule} from sync_rules r where r.id = ${id}::bigint for update of r skip locked`.execute(tx);
  return rows[0];
}

interface Page {
  readonly mountId: string;
  readonly names: readonly string[];
}

/** A secret after which a page begins. */
export interface HeldPlace {
  readonly mountId: string;
  readonly secretName: string;
}

/** Before every secret. */
export const heldStart: HeldPlace = { mountId: '00000000-0000-0000-0000-000000000000', secretName: '' };

/** The next secrets of one mount that the rule has associations of. It may be a mount that the rule had before. */
export async function heldPage(db: Kysely<Database>, ruleId: string, after: HeldPlace): Promise<Page> {
  const { rows } = await rowsOf({ mount_id: uuid, secret_name: text })`
    select distinct mount_id, secret_name from associations
     where rule_id = ${ruleId}::bigint and desired = 'present'
       and (mount_id, secret_name) > (${after.mountId}::uuid, ${after.secretName} collate "C")
     order by mount_id, secret_name limit ${namesMax}::int`.execute(db);
  const mountId = rows[0]?.mount_id ?? after.mountId;
  return {
    mountId,
    names: rows.filter(({ mount_id }) => mount_id === mountId).map(({ secret_name }) => secret_name),
  };
}

async function secretPage({ rules }: EvaluateParts, { mount_id, prefix, walk_secret }: SyncRule): Promise<Page> {
  const found = await rules.describeBelow(mount_id, prefix, walk_secret, namesMax);
  return { mountId: mount_id, names: found.map(({ name }) => name) };
}

async function nextWalk(tx: Transaction<Database>, { id, walk, state }: SyncRule): Promise<Step> {
  if (state === 'deleting') await sql`delete from sync_rules where id = ${id}::bigint`.execute(tx);
  else if (walk === 'held')
    await sql`update sync_rules set walk = 'secrets', walk_secret = '' where id = ${id}::bigint`.execute(tx);
  else
    await sql`
      update sync_rules set walk = null, renews = false, walked_at = now(), turned_at = clock_timestamp()
       where id = ${id}::bigint`.execute(tx);
  return { dirty: [], moved: true };
}

const keptPageMax = 5_000;

/** Lets associations stay as if requests had made them, and deletes the rule with the last. */
async function letGo(tx: Transaction<Database>, { id }: SyncRule): Promise<Step> {
  const { rows } = await rowsOf({ count: int })`
    with kept as (
      update associations set rule_id = null
       where id = any(array(
               select id from associations where rule_id = ${id}::bigint order by id limit ${keptPageMax}::int for no key update))
      returning 1
    )
    select count(*)::int as count from kept`.execute(tx);
  if ((rows[0]?.count ?? 0) < keptPageMax) await sql`delete from sync_rules where id = ${id}::bigint`.execute(tx);
  return { dirty: [], moved: true };
}
