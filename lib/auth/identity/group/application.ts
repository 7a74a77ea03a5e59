import { type Kysely, sql } from 'kysely';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';
import { changeGroups } from './write.ts';

/**
 * To which members the policies of a group apply: to entities of the group's namespace and of those below it, or to all of
 * them. Nothing but policies goes by it.
 */
export const applicationModes = ['within_namespace_hierarchy', 'any'] as const;
export type ApplicationMode = (typeof applicationModes)[number];

const setting = 'group-policy-application';

/** The mode as it is stored; null: nobody has set it. */
export const modeColumn = sql<ApplicationMode | null>`(select value ->> 'mode' from settings where name = ${setting})`;

export const modeOf = (stored: ApplicationMode | null | undefined): ApplicationMode => stored ?? applicationModes[0];

export async function readMode(db: Kysely<Database>): Promise<ApplicationMode> {
  const { rows } = await sql<{ mode: ApplicationMode | null }>`select ${modeColumn} as mode`.execute(db);
  return modeOf(rows[0]?.mode);
}

/** What is kept of entities is old from then on, in all processes. */
export const writeMode = ({ transaction }: Store, mode: ApplicationMode): Promise<void> =>
  transaction(async (tx) => {
    await changeGroups(tx);
    await sql`insert into settings (name, value) values (${setting}, ${JSON.stringify({ mode })}::jsonb)
              on conflict (name) do update set value = excluded.value`.execute(tx);
  });
