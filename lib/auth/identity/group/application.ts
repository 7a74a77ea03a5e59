import { type Kysely, sql } from 'kysely';
import { nullable, oneOf } from '#store/sql/kinds.ts';
import { expressionOf, rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { changeGroups } from './write.ts';

/**
 * The members that the policies of a group apply to: entities of the group's namespace and of the namespaces below it, or all
 * members. The mode affects policies only.
 */
export const applicationModes = ['within_namespace_hierarchy', 'any'] as const;
export type ApplicationMode = (typeof applicationModes)[number];

const setting = 'group-policy-application';

/** The stored mode; null when it was never set. */
export const modeKind = nullable(oneOf(...applicationModes));
export const modeColumn = expressionOf(modeKind)`(select value ->> 'mode' from settings where name = ${setting})`;

export const modeOf = (stored: ApplicationMode | null | undefined): ApplicationMode => stored ?? applicationModes[0];

export async function readMode(db: Kysely<Database>): Promise<ApplicationMode> {
  const { rows } = await rowsOf({ mode: modeKind })`select ${modeColumn} as mode`.execute(db);
  return modeOf(rows[0]?.mode);
}

/** Stores the mode. Cached facts about entities become stale in all processes. */
export const writeMode = ({ transaction }: Store, mode: ApplicationMode): Promise<void> =>
  transaction(async (tx) => {
    await changeGroups(tx);
    await sql`insert into settings (name, value) values (${setting}, ${JSON.stringify({ mode })}::jsonb)
              on conflict (name) do update set value = excluded.value`.execute(tx);
  });
