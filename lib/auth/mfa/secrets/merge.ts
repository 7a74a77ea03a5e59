import { type Kysely, sql, type Transaction } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { secretAad } from './enrol.ts';

/** A reply has no more texts. */
const shownMax = 31;

/**
 * A text for each secret that would be lost when entities become one: the destination has one for the same method, or an
 * earlier source has. In the order of the sources.
 */
export async function mfaConflicts(
  db: Kysely<Database>,
  from: readonly string[],
  to: string,
): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly entity: string; readonly method: string }>`
    select s.entity_id as entity, s.method_id::text as method from mfa_secrets s
     where s.entity_id = any(${from}::text[]) and exists (
       select 1 from mfa_secrets o where o.method_id = s.method_id and (o.entity_id = ${to} or
         array_position(${from}::text[], o.entity_id) < array_position(${from}::text[], s.entity_id)))
     order by array_position(${from}::text[], s.entity_id), s.method_id`.execute(db);
  const texts = rows.map(({ entity, method }) => `conflicting MFA config ID "${method}" in entity ID "${entity}"`);
  return texts.length <= shownMax ? texts : [...texts.slice(0, shownMax), `and ${texts.length - shownMax} more`];
}

/**
 * Moves the secrets of entities to another one with the codes that were used of them. Where it has one already, that one
 * stays, and the others go with their entities.
 */
export async function moveSecrets(
  { barrier }: Pick<Store, 'barrier'>,
  tx: Transaction<Database>,
  from: readonly string[],
  to: string,
): Promise<void> {
  const { rows } = await sql<{ readonly method_id: string; readonly entity_id: string; readonly secret: Buffer }>`
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
