import { arrayOf, bigintText, int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { remedyOf } from '#sync/records/remedies.ts';
import type { FailedKind } from '../events/event.ts';
import { hasFailed } from './concerned.ts';

/** Up to this many failed syncs of a destination are counted exactly. */
export const countedMax = 10_000;
/** Records that an event names as examples. */
const examplesMax = 5;

const failedColumns = { destination_id: bigintText, kind: text, count: int, records: arrayOf(text) };

/** The failed syncs of a destination, as the members of an event. */
export interface Failed {
  readonly failed: number;
  readonly failed_at_least: boolean;
  readonly errors: readonly FailedKind[];
  readonly records: readonly string[];
}

/** The numbers of failed syncs by destination, as events show them. One statement. */
export async function failedOf(db: Store['db'], ids: readonly string[]): Promise<ReadonlyMap<string, Failed>> {
  if (ids.length === 0) return new Map();
  const { rows } = await rowsOf(failedColumns)`
    select i.id as destination_id, f.kind, f.count, f.records
      from unnest(${ids}::bigint[]) i (id)
     cross join lateral (
       select kind, count(*)::int as count, ((array_agg(id order by id))[1:${examplesMax}])::text[] as records
         from (select a.id, coalesce(a.error ->> 'kind', 'internal') as kind from associations a
                where a.destination_id = i.id and ${hasFailed} limit ${countedMax + 1}::int) one
        group by kind) f
     order by i.id, f.count desc, f.kind`.execute(db);
  return new Map([...Map.groupBy(rows, ({ destination_id }) => destination_id)].map(([id, all]) => [id, summed(all)]));
}

function summed(
  kinds: readonly { readonly kind: string; readonly count: number; readonly records: readonly string[] }[],
): Failed {
  const total = kinds.reduce((sum, { count }) => sum + count, 0);
  return {
    failed: Math.min(total, countedMax),
    failed_at_least: total > countedMax,
    errors: kinds.map(({ kind, count }) => {
      const remedy = remedyOf(kind);
      return remedy === undefined ? { kind, count } : { kind, count, remedy };
    }),
    records: kinds.flatMap(({ records }) => records).slice(0, examplesMax),
  };
}
