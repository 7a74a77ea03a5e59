import { sql } from 'kysely';
import { uuid } from '#core/ids.ts';
import type { Store } from '#store/store.ts';

/** The right to tidy, which one process has at a time while it extends it. */
export interface TidyClaim {
  /** False when the claim has expired and another run may have started. */
  extend(): Promise<boolean>;
  end(): Promise<void>;
}

const heldSeconds = 60;

/** Undefined when a run is under way in any process. */
export async function claimTidy({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<TidyClaim | undefined> {
  const run = uuid();
  const until = sql`now() + make_interval(secs => ${heldSeconds})`;
  const { rows } = await sql`
    insert into token_tidy (namespace_id, run, held_until) values (${namespaceId}, ${run}::uuid, ${until})
    on conflict (namespace_id) do update set run = excluded.run, held_until = excluded.held_until
     where token_tidy.held_until <= now() returning 1`.execute(db);
  if (rows.length === 0) return undefined;
  const own = sql`namespace_id = ${namespaceId} and run = ${run}::uuid`;
  return {
    async extend() {
      const kept = await sql`update token_tidy set held_until = ${until} where ${own} returning 1`.execute(db);
      return kept.rows.length > 0;
    },
    async end() {
      await sql`update token_tidy set held_until = now() where ${own}`.execute(db);
    },
  };
}
