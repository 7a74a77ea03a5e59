import { sql, type Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import type { Proof } from './attempt.ts';

/**
 * Uses up codes, all or none, and resets the attempts. Of concurrent requests with one code, in all processes, one succeeds.
 *
 * @returns false when a code was used before; the caller then has to roll back the transaction
 */
export async function spend(tx: Transaction<Database>, entityId: string, proofs: readonly Proof[]): Promise<boolean> {
  // One order for all requests prevents deadlocks.
  const sorted = proofs.toSorted((one, other) => (one.methodId < other.methodId ? -1 : 1));
  const ids = sorted.map(({ methodId }) => methodId);
  const { rows } = await sql`
    insert into mfa_used_codes (method_id, entity_id, step, expire_at)
    select s.method_id, s.entity_id, given.step, now() + make_interval(secs => given.kept)
      from unnest(${ids}::uuid[], ${sorted.map(({ step }) => step)}::bigint[],
                  ${sorted.map(({ keptSeconds }) => keptSeconds)}::int[]) with ordinality
             as given (method_id, step, kept, position)
      join mfa_secrets s on s.method_id = given.method_id and s.entity_id = ${entityId}
     order by given.position
    on conflict do nothing returning 1`.execute(tx);
  if (rows.length < proofs.length) return false;
  await sql`delete from mfa_attempts where entity_id = ${entityId} and method_id = any(${ids}::uuid[])`.execute(tx);
  return true;
}
