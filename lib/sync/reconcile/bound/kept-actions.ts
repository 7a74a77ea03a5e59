import { z } from 'zod';
import { int, jsonOf } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import { type KeptAction, keptAction } from '../../model/kept-action.ts';

export interface Kept {
  readonly actions: readonly KeptAction[];
  /** Of the settings of the destination when it was planned. */
  readonly revision: number;
}

const keptColumns = { actions: jsonOf(z.array(keptAction).readonly()), revision: int };

/** What the applied plan says of a claimed association. Undefined when the plan is gone. */
export async function keptActions(
  { db }: Pick<Store, 'db'>,
  { id, generation }: Pick<Claimed, 'id' | 'generation'>,
): Promise<Kept | undefined> {
  const { rows } = await rowsOf(keptColumns)`
    select i.actions, d.revision
      from sync_plan_items i
      join sync_plan_destinations d on d.plan_id = i.plan_id and d.destination_id = i.destination_id
     where i.association_id = ${id}::bigint and i.applied_generation = ${generation}::int limit 1`.execute(db);
  return rows[0];
}
