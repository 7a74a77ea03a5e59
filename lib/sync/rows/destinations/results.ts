import type { Vocabulary } from '#path/contract/request.ts';
import { pick, type RowOf } from '#store/sql/columns.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { destinationDriftTable, destinationResultsTable } from '#store/tables/sync.ts';
import { recordColumns } from '../../model/finish.ts';
import { type AssociationNumbers, numbersOf } from '../../records/overview/counts.ts';
import { numbersView } from '../../records/overview/numbers.ts';
import { withRemedy } from '../../records/remedies.ts';

/** How the syncs of a destination fare. */
interface Results {
  readonly numbers: AssociationNumbers;
  /** Undefined before the first attempt. */
  readonly last: RowOf<typeof lastColumns> | undefined;
  /** Of the looks for drift. Undefined before the first one is due. */
  readonly looks: RowOf<typeof lookColumns> | undefined;
}

const lookColumns = {
  ...pick(destinationDriftTable, 'checked_at', 'checked_unseen'),
  error: recordColumns.error,
};

const lastColumns = {
  ...pick(destinationResultsTable, 'last_success_at', 'last_error_at', 'last_error_request_id'),
  last_error: recordColumns.error,
};

/** Reads how the syncs of a destination fare. Three statements. */
export async function resultsOf({ db }: Pick<Store, 'db'>, destinationId: string): Promise<Results> {
  const last = rowsOf(lastColumns)`
    select last_success_at, last_error_at, last_error_request_id, last_error
      from destination_results where destination_id = ${destinationId}::bigint`.execute(db);
  const looks = rowsOf(lookColumns)`
    select checked_at, checked_unseen, error
      from destination_drift where destination_id = ${destinationId}::bigint`.execute(db);
  const [numbers, { rows }, looked] = await Promise.all([numbersOf({ db }, destinationId), last, looks]);
  return { numbers, last: rows[0], looks: looked.rows[0] };
}

/** As the read of a destination shows them. */
export const resultsView = ({ numbers, last, looks }: Results, vocabulary: Vocabulary): object => ({
  ...numbersView(numbers, vocabulary),
  last_success_at: last?.last_success_at?.toISOString() ?? null,
  last_error: last === undefined ? null : errorView(last),
  drift_checked_at: looks?.checked_at?.toISOString() ?? null,
  drift_unseen: looks?.checked_unseen ?? 0,
  drift_error: withRemedy(looks?.error ?? null),
});

function errorView({ last_error, last_error_at, last_error_request_id }: RowOf<typeof lastColumns>): object | null {
  if (last_error === null) return null;
  return {
    ...withRemedy(last_error),
    external_request_id: last_error_request_id,
    at: last_error_at?.toISOString() ?? null,
  };
}
