import { bigintText, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

const destinationColumns = { type: text, name: text, granularity: nullable(text) };

/** The destinations of a plan. With a granularity, its associations there are set again. */
export async function planDestinations({ db }: Pick<Store, 'db'>, namespaceId: string, planId: string) {
  const { rows } = await rowsOf(destinationColumns)`
    select d.type, d.name, d.granularity
      from sync_plans p join sync_plan_destinations d on d.plan_id = p.id
     where p.id = ${planId}::uuid and p.namespace_id = ${namespaceId} order by d.type, d.name`.execute(db);
  return rows;
}

/** A secret that a plan associates in another way. */
export interface PlanSecret {
  readonly association_id: string;
  readonly mount_path: string;
  readonly secret_name: string;
}

const pageMax = 5_000;

/** The next secrets that a plan associates in another way, in the order of their associations. */
export async function planSecretsAfter(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  planId: string,
  after: string,
): Promise<readonly PlanSecret[]> {
  const { rows } = await rowsOf({ association_id: bigintText, mount_path: text, secret_name: text })`
    select i.association_id::text as association_id, i.mount_path, i.secret_name
      from sync_plans p
      join sync_plan_destinations d on d.plan_id = p.id and d.granularity is not null
      join sync_plan_items i on i.plan_id = p.id and i.destination_id = d.destination_id
     where p.id = ${planId}::uuid and p.namespace_id = ${namespaceId} and i.association_id > ${after}::bigint
     order by i.association_id limit ${pageMax}::int`.execute(db);
  return rows;
}
