import { sql } from 'kysely';
import { uuid } from '../../../core/ids.ts';
import type { Store } from '../../../store/store.ts';

/** The right to tidy, which one process has at a time, for as long as it shows that it lives. */
export interface TidyClaim {
  /** False: it took too long, and another run may have begun. */
  extend(): Promise<boolean>;
  end(): Promise<void>;
}

const heldSeconds = 60;

/** Undefined: a run is under way, here or elsewhere. */
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
