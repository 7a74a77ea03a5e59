import { type Kysely, sql, type Transaction } from 'kysely';
import { type Dirty, dirtyColumns, markEnded, resetAttempts } from '#store/outbox.ts';
import { bool, nullable, text, textMap } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { type Change, type Existing, existingColumns } from './decide.ts';
import { ruleColumns, type SyncRule } from './rule.ts';

type Reader = Kysely<Database>;

/** One sweep at a time changes associations of a mount for its rules. False while another does. */
export async function takeMount(tx: Transaction<Database>, mountId: string): Promise<boolean> {
  const { rows } = await rowsOf({ taken: bool })`
    select pg_try_advisory_xact_lock(hashtext('sync_rule_turns'), hashtext(${mountId})) as taken`.execute(tx);
  return rows[0]?.taken === true;
}

export interface RuledMount {
  readonly id: string;
  readonly path: string;
  readonly accessor: string;
  readonly type: string;
  readonly options: Readonly<Record<string, string>> | null;
}

/** Keeps the mount in place until the transaction ends; undefined when it was deleted. */
export async function keepMount(tx: Transaction<Database>, mountId: string): Promise<RuledMount | undefined> {
  const { rows } = await rowsOf({ path: text, accessor: text, type: text, options: nullable(textMap) })`
    select path, accessor, type, options from mounts where id = ${mountId}::uuid and removed_at is null for key share`.execute(
    tx,
  );
  const [row] = rows;
  return row && { id: mountId, ...row };
}

/** The columns of a rule `r`. */
export const selectRule = sql`
  r.*, coalesce((select n.path from namespaces n where n.id = r.namespace_id), '') as namespace_path,
  (select coalesce(json_agg(json_build_object('id', d.id::text, 'type', d.type, 'name', d.name, 'granularity', d.granularity,
            'template', d.template) order by d.type, d.name), '[]'::json)
     from sync_rule_destinations t join destinations d on d.id = t.destination_id
    where t.rule_id = r.id and d.purge_initiated_at is null) as destinations`;

/** The rules of a mount, whose destinations are locked against deletion until the transaction ends. */
export async function keepRules(tx: Transaction<Database>, mountId: string): Promise<readonly SyncRule[]> {
  await sql`
    select 1 from destinations where id = any(array(
             select t.destination_id from sync_rule_destinations t join sync_rules r on r.id = t.rule_id
              where r.mount_id = ${mountId}::uuid))
     order by id for share`.execute(tx);
  return rulesOf(tx, mountId);
}

/** The rules of a mount, in the order in which they have precedence. */
export async function rulesOf(db: Reader, mountId: string): Promise<readonly SyncRule[]> {
  const { rows } = await rowsOf(ruleColumns)`
    select ${selectRule} from sync_rules r where r.mount_id = ${mountId}::uuid order by r.name`.execute(db);
  return rows;
}

/** The associations of secrets, except those at destinations that are being purged. */
export async function existingOf(db: Reader, mountId: string, names: readonly string[]): Promise<readonly Existing[]> {
  const { rows } = await rowsOf(existingColumns)`
    select a.id::text as id, a.type, a.destination_id::text as destination_id, d.name as destination_name, a.secret_name,
           a.rule_id::text as rule_id, a.desired, a.granularity, a.template, a.adopt
      from associations a join destinations d on d.id = a.destination_id
     where a.mount_id = ${mountId}::uuid and a.secret_name = any(${names}::text[]) and d.purge_initiated_at is null`.execute(
    db,
  );
  return rows;
}

type Make = Extract<Change<SyncRule>, { kind: 'make' }>;
type End = Extract<Change<SyncRule>, { kind: 'end' }>;

/**
 * Makes associations, or takes over and sets again those that a rule made or that were ended. An association that a request has set
 * meanwhile stays as it is.
 */
export async function makeAll(tx: Reader, mount: RuledMount, makes: readonly Make[]): Promise<readonly Dirty[]> {
  if (makes.length === 0) return [];
  const { rows } = await rowsOf(dirtyColumns)`
    with wanted as (
      select * from unnest(${makes.map(({ secretName }) => secretName)}::text[], ${makes.map(({ destination }) => destination.id)}::bigint[],
                           ${makes.map(({ destination }) => destination.type)}::text[], ${makes.map(({ form }) => form.granularity)}::text[],
                           ${makes.map(({ form }) => form.template)}::text[], ${makes.map(({ form }) => form.adopt)}::boolean[],
                           ${makes.map(({ rule }) => rule.id)}::bigint[])
             as w (secret, destination, destination_type, own_granularity, own_template, own_adopt, rule)
    ),
    known as materialized (
      select a.id, a.rule_id, a.desired, w.* from wanted w
        join associations a on a.destination_id = w.destination and a.mount_id = ${mount.id}::uuid
                           and a.secret_name = w.secret collate "C"
       order by a.id for no key update of a
    ),
    renewed as (
      update associations a
         set granularity = k.own_granularity, template = k.own_template, adopt = k.own_adopt, mount_path = ${mount.path},
             rule_id = k.rule, desired = 'present', forced_generation = generation + 1, ${resetAttempts}
        from known k where a.id = k.id and (a.rule_id is not null or a.desired = 'absent')
      returning ${changed}
    ),
    made as (
      insert into associations (destination_id, type, mount_id, mount_path, mount_accessor, secret_name, granularity, template,
                                adopt, rule_id, desired, generation, forced_generation, status, records, updated_at, dirty_since)
      select destination, destination_type, ${mount.id}::uuid, ${mount.path}, ${mount.accessor}, secret, own_granularity,
             own_template, own_adopt, rule, 'present', 1, 1, 'PENDING', '[]', now(), now()
        from wanted w
       where not exists (select 1 from known k where k.destination = w.destination and k.secret = w.secret)
          on conflict (destination_id, mount_id, secret_name) do nothing
      returning id::text as id, type, destination_id::text as destination_id, generation::int as generation, false as waiting
    )
    select * from renewed union all select * from made`.execute(tx);
  return rows;
}

const changed = sql`a.id::text as id, a.type, a.destination_id::text as destination_id, a.generation::int as generation,
  a.next_attempt_at is not null as waiting`;

/** Ends associations that rules made. One that a request has set meanwhile stays. */
export async function endAll(tx: Reader, ends: readonly End[]): Promise<readonly Dirty[]> {
  if (ends.length === 0) return [];
  const ids = ends.map(({ id }) => id);
  const isEnding = sql`id = any(${ids}::bigint[]) and rule_id is not null and desired = 'present'`;
  return (await markEnded(isEnding).execute(tx)).rows;
}
