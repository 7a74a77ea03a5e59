import { sql, type Transaction } from 'kysely';
import type { Database } from '../../../store/tables.ts';
import type { Proof } from './attempt.ts';

/**
 * Uses codes up, all or none: of any number of requests with one code, in any number of processes, one comes through here. It
 * also forgets the attempts.
 *
 * @returns false when one was used before: the transaction has to be rolled back
 */
export async function spend(tx: Transaction<Database>, entityId: string, proofs: readonly Proof[]): Promise<boolean> {
  // Two requests with the same codes take them in the same order.
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
