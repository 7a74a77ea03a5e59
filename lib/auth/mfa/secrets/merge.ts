import { sql, type Transaction } from 'kysely';
import { bytea, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { SecondFactors } from '../../identity/parts.ts';
import { secretAad } from './enrol.ts';

/** The MFA secrets of entities that are merged. */
export const secondFactors = ({ barrier }: Pick<Store, 'barrier'>): SecondFactors => ({
  conflicts: mfaConflicts,
  move: (tx, from, to) => moveSecrets({ barrier }, tx, from, to),
});

/** Bound of a reply. */
const shownMax = 31;

/**
 * One text for each secret that a merge would lose, since the target or an earlier source has a secret for the same method. In the
 * order of the sources.
 */
async function mfaConflicts(
  tx: Transaction<Database>,
  from: readonly string[],
  to: string,
): Promise<readonly string[]> {
  const { rows } = await rowsOf({ entity: text, method: text })`
    select s.entity_id as entity, s.method_id::text as method from mfa_secrets s
     where s.entity_id = any(${from}::text[]) and exists (
       select 1 from mfa_secrets o where o.method_id = s.method_id and (o.entity_id = ${to} or
         array_position(${from}::text[], o.entity_id) < array_position(${from}::text[], s.entity_id)))
     order by array_position(${from}::text[], s.entity_id), s.method_id`.execute(tx);
  const texts = rows.map(({ entity, method }) => `conflicting MFA config ID "${method}" in entity ID "${entity}"`);
  return texts.length <= shownMax ? texts : [...texts.slice(0, shownMax), `and ${texts.length - shownMax} more`];
}

/**
 * Moves secrets to another entity, with the codes of them that were used. Where the target has a secret for the method, it keeps its
 * own, and the others are deleted with their entities.
 */
async function moveSecrets(
  { barrier }: Pick<Store, 'barrier'>,
  tx: Transaction<Database>,
  from: readonly string[],
  to: string,
): Promise<void> {
  const { rows } = await rowsOf({ method_id: text, entity_id: text, secret: bytea })`
    select s.method_id, s.entity_id, s.secret from mfa_secrets s
     where s.entity_id = any(${from}::text[])
       and not exists (select 1 from mfa_secrets o where o.method_id = s.method_id and o.entity_id = ${to})
     order by array_position(${from}::text[], s.entity_id) for update of s`.execute(tx);
  const moved = new Set<string>();
  for (const { method_id, entity_id, secret } of rows) {
    if (moved.has(method_id)) continue;
    moved.add(method_id);
    const sealed = barrier.seal(barrier.open(secret, secretAad(method_id, entity_id)), secretAad(method_id, to));
    await sql`update mfa_secrets set entity_id = ${to}, secret = ${sealed}
      where method_id = ${method_id} and entity_id = ${entity_id}`.execute(tx);
  }
}
