import { sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import { type EntityState, entityColumns, entityJoin } from '../../identity/state.ts';
import type { BatchContent } from './batch.ts';

/** What a batch token stands on beside its parent. */
export interface Standing extends EntityState {
  /** The auth method of its login is where it was, or it is of no login. */
  readonly mounted: boolean;
}

export async function readStanding(
  { db }: Pick<Store, 'db'>,
  { entityId, mountAccessor, namespaceId, path }: BatchContent,
): Promise<Standing> {
  if (entityId === '' && mountAccessor === '') return { entity_id: '', entity_state: null, mounted: true };
  const { rows } = await sql<Standing>`
    select ${entityColumns(sql`t.id`)},
           ${mountAccessor} = '' or exists (
             select from mounts m where m.accessor = ${mountAccessor} and m.namespace_id = ${namespaceId}
                and starts_with(${path}, m.path)) as mounted
      from (select ${entityId}::text as id) t ${entityJoin(sql`t.id`)}`.execute(db);
  return rows[0] ?? { entity_id: entityId, entity_state: null, mounted: false };
}
