import { sql, type Transaction } from 'kysely';
import { badField, badRequest, conflict } from '#core/errors.ts';
import { uuid as newId } from '#core/ids.ts';
import { bool, int, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { KeptAction } from '../../model/kept-action.ts';
import { itemsMax, lifetimeSeconds, plansMax } from './plan.ts';

/** What was planned of one destination. */
export interface PlannedDestination {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly revision: number;
  /** The associations are set again with these. */
  readonly set?: { readonly granularity: string; readonly template: string } | undefined;
  readonly items: readonly PlannedItem[];
}

export interface PlannedItem {
  readonly associationId: string;
  readonly generation: number;
  readonly mountPath: string;
  readonly secretName: string;
  readonly actions: readonly KeptAction[];
}

/**
 * Adds a page to a plan, or begins one with it. Returns the id of the plan.
 * @throws AppError `bad-request` when there is no such plan that could still be applied, or a bound is reached; `conflict` when the
 * settings of a destination have changed since an earlier page
 */
export async function keepPage(
  store: Pick<Store, 'transaction'>,
  namespaceId: string,
  planId: string | undefined,
  destinations: readonly PlannedDestination[],
): Promise<string> {
  return store.transaction(async (tx) => {
    const id = planId === undefined ? await begin(tx, namespaceId) : await held(tx, namespaceId, planId);
    for (const destination of destinations) await keepDestination(tx, id, destination);
    const fresh = await keepItems(tx, id, destinations);
    const { rows } = await rowsOf({ items: int })`
      update sync_plans set items = items + ${fresh}::int, expires_at = ${expiry}
       where id = ${id}::uuid returning items`.execute(tx);
    if ((rows[0]?.items ?? 0) > itemsMax)
      throw badRequest(`the plan has something to do for more than ${itemsMax} secrets: plan fewer, by a filter`);
    return id;
  });
}

const expiry = sql`clock_timestamp() + ${lifetimeSeconds}::int * interval '1 second'`;

async function begin(tx: Transaction<Database>, namespaceId: string): Promise<string> {
  const id = newId();
  await sql`select pg_advisory_xact_lock(hashtext('sync_plans'), hashtext(${namespaceId}))`.execute(tx);
  const { rows } = await rowsOf({ count: int })`
    select count(*)::int as count from sync_plans
     where namespace_id = ${namespaceId} and applied_at is null and expires_at > now()`.execute(tx);
  if ((rows[0]?.count ?? 0) >= plansMax)
    throw badRequest(`${plansMax} plans are kept in this namespace: apply or delete one, or wait until one expires`);
  await sql`
    insert into sync_plans (id, namespace_id, expires_at) values (${id}::uuid, ${namespaceId}, ${expiry})`.execute(tx);
  return id;
}

async function held(tx: Transaction<Database>, namespaceId: string, id: string): Promise<string> {
  const { rows } = await rowsOf({ id: text })`
    select id::text as id from sync_plans
     where id = ${id}::uuid and namespace_id = ${namespaceId} and applied_at is null and expires_at > now()
       for update`.execute(tx);
  if (rows[0] !== undefined) return id;
  throw badField('plan_id', 'plan_id names no plan that can be added to: it has expired, was applied, or never was');
}

async function keepDestination(
  tx: Transaction<Database>,
  planId: string,
  { id, type, name, revision, set }: PlannedDestination,
): Promise<void> {
  const [granularity, template] = [set?.granularity ?? null, set?.template ?? null];
  await sql`
    insert into sync_plan_destinations (plan_id, destination_id, type, name, revision, granularity, template)
    values (${planId}::uuid, ${id}::bigint, ${type}, ${name}, ${revision}::int, ${granularity}, ${template})
        on conflict do nothing`.execute(tx);
  const { rows } = await rowsOf({ revision: int, granularity: nullable(text), template: nullable(text) })`
    select revision, granularity, template from sync_plan_destinations
     where plan_id = ${planId}::uuid and destination_id = ${id}::bigint`.execute(tx);
  const kept = rows[0];
  if (kept?.revision !== revision)
    throw conflict([`destination ${type}/${name} was changed since an earlier page of the plan: plan again`]);
  if (kept.granularity !== granularity || kept.template !== template)
    throw badField(
      ['secret_name_template', 'granularity'],
      'secret_name_template and granularity have to be those of the earlier pages of the plan',
    );
}

/** Returns how many of the associations the plan did not have. */
async function keepItems(
  tx: Transaction<Database>,
  planId: string,
  destinations: readonly PlannedDestination[],
): Promise<number> {
  const items = destinations.flatMap(({ id, items }) => items.map((item) => ({ ...item, destinationId: id })));
  const { rows } = await rowsOf({ fresh: bool })`
    insert into sync_plan_items (plan_id, association_id, destination_id, mount_path, secret_name, generation, actions)
    select ${planId}::uuid, * from unnest(
      ${items.map((one) => one.associationId)}::bigint[], ${items.map((one) => one.destinationId)}::bigint[],
      ${items.map((one) => one.mountPath)}::text[], ${items.map((one) => one.secretName)}::text[],
      ${items.map((one) => one.generation)}::int[], ${items.map((one) => JSON.stringify(one.actions))}::jsonb[])
        on conflict (plan_id, association_id) do update set generation = excluded.generation, actions = excluded.actions
    returning xmax = 0 as fresh`.execute(tx);
  return rows.filter(({ fresh }) => fresh).length;
}
