import { sql } from 'kysely';

/** What attempts at a destination came to. */
export interface Result {
  readonly id: string;
  readonly succeeded: boolean;
  /** The last error as JSON. */
  readonly error: string | null;
  readonly requestId: string | null;
  readonly done: number;
  readonly failed: number;
  /** How many failed with which kind of error. */
  readonly errors: Readonly<Record<string, number>>;
}

/** A destination that was deleted meanwhile is left out. The counts are added to those that no sample has taken yet. */
export const storeResults = (results: readonly Result[]) => sql`
  insert into destination_results as r
         (destination_id, last_success_at, last_error_at, last_error, last_error_request_id, done, failed, errors)
  select d.id, case when i.succeeded then now() end, case when i.error is not null then now() end, i.error, i.request_id,
         i.done, i.failed, i.errors
    from unnest(${results.map(({ id }) => id)}::bigint[], ${results.map(({ succeeded }) => succeeded)}::boolean[],
                ${results.map(({ error }) => error)}::jsonb[], ${results.map(({ requestId }) => requestId)}::text[],
                ${results.map(({ done }) => done)}::int[], ${results.map(({ failed }) => failed)}::int[],
                ${results.map(({ errors }) => JSON.stringify(errors))}::jsonb[])
      as i (id, succeeded, error, request_id, done, failed, errors)
    join destinations d on d.id = i.id
   order by d.id
      on conflict (destination_id) do update
     set last_success_at = greatest(r.last_success_at, excluded.last_success_at),
         last_error_at = coalesce(excluded.last_error_at, r.last_error_at),
         last_error = coalesce(excluded.last_error, r.last_error),
         last_error_request_id = case when excluded.last_error is null then r.last_error_request_id
                                      else excluded.last_error_request_id end,
         done = r.done + excluded.done,
         failed = r.failed + excluded.failed,
         errors = case when excluded.failed = 0 then r.errors else (
           select jsonb_object_agg(kind, count) from (
             select kind, sum(n::int) as count
               from (select * from jsonb_each_text(r.errors) union all select * from jsonb_each_text(excluded.errors)) e (kind, n)
              group by kind) summed) end`;
