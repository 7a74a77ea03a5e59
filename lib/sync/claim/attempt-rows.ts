import { sql } from 'kysely';
import type { Finish } from '../model/finish.ts';

/** The part of a finish statement that adds the attempts to the history. A finish that was rejected adds nothing. */
export function attemptRows(inputs: readonly Finish[]) {
  const attempts = inputs.map(({ attempt }) => attempt);
  return sql`
  attempted as (
    insert into sync_attempts (association_id, generation, duration_ms, calls, outcome, error, request_id)
    select held.id, t.generation, t.duration_ms, t.calls, t.outcome, t.error, t.request_id
      from held
      join unnest(${inputs.map(({ id }) => id)}::bigint[], ${inputs.map(({ generation }) => generation)}::int[],
                  ${attempts.map(({ durationMs }) => durationMs)}::int[], ${attempts.map(({ calls }) => calls)}::float8[],
                  ${attempts.map(({ outcome }) => outcome)}::text[],
                  ${inputs.map(({ error }) => (error === null ? null : JSON.stringify(error)))}::jsonb[],
                  ${attempts.map(({ requestId }) => requestId)}::text[])
        as t (id, generation, duration_ms, calls, outcome, error, request_id) on t.id = held.id
  )`;
}
