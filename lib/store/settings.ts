import { type Kysely, sql } from 'kysely';
import type { z } from 'zod';
import type { Database } from './tables.ts';

/** Access to a setting that is kept in the database. */
export interface StoredSetting<T> {
  /** Undefined when the setting is not set. */
  read(db: Kysely<Database>): Promise<T | undefined>;
  write(db: Kysely<Database>, value: T): Promise<void>;
  remove(db: Kysely<Database>): Promise<void>;
}

export const storedSetting = <T>(name: string, schema: z.ZodType<T>): StoredSetting<T> => ({
  async read(db) {
    const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
    return row === undefined ? undefined : schema.parse(row.value);
  },
  async write(db, value) {
    await sql`insert into settings (name, value) values (${name}, ${JSON.stringify(value)}::jsonb)
              on conflict (name) do update set value = excluded.value`.execute(db);
  },
  async remove(db) {
    await db.deleteFrom('settings').where('name', '=', name).execute();
  },
});
