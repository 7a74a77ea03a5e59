import { sql, type Transaction } from 'kysely';
import { badRequest } from '../../../core/errors.ts';
import type { Namespace } from '../../../core/namespace.ts';
import type { Store } from '../../../store/store.ts';
import type { Database } from '../../../store/tables.ts';

/** Texts by name: the policies, or the password policies. */
export interface TextStore {
  /** Sorted by bytes, which for names in lower case is by character. */
  names(): Promise<readonly string[]>;
  read(name: string): Promise<string | undefined>;
  /** Answers what the writer is warned of. @throws AppError `bad-request` when there would be too many */
  write(name: string, text: string): Promise<readonly string[]>;
  /** What is not there is removed already. */
  remove(name: string): Promise<void>;
}

/** Of each kind; so many names still fit in one reply. */
const textsMax = 50_000;

/** The texts of a namespace. */
export type TextsOf = (namespace: Namespace) => TextStore;

/**
 * Every change counts up the revision `policies` first, which makes changes wait for each other: the bound is exact, and
 * whoever reads a revision reads all changes up to it.
 */
export const openTexts =
  (parts: TextParts, table: 'policies' | 'password_policies'): TextsOf =>
  ({ id }) =>
    textsOf(parts, table, id);

interface TextParts {
  readonly store: Store;
}

function textsOf({ store }: TextParts, table: 'policies' | 'password_policies', namespaceId: string): TextStore {
  const named = (name: string) => sql`namespace_id = ${namespaceId} and name = ${name}`;
  const from = sql.table(table);
  const changed = (change: (tx: Transaction<Database>) => Promise<unknown>): Promise<void> =>
    store.transaction(async (tx) => {
      await sql`update revisions set revision = revision + 1 where name = 'policies'`.execute(tx);
      await change(tx);
    });
  return {
    async names() {
      const { rows } = await sql<{ name: string }>`
        select name from ${from} where namespace_id = ${namespaceId} order by name limit ${textsMax}`.execute(store.db);
      return rows.map(({ name }) => name);
    },
    async read(name) {
      const { rows } = await sql<{ text: string }>`select text from ${from} where ${named(name)}`.execute(store.db);
      return rows[0]?.text;
    },
    async write(name, text) {
      await changed(async (tx) => {
        await sql`
          insert into ${from} (namespace_id, name, text, updated_at)
          values (${namespaceId}, ${name}, ${text}, now())
          on conflict (namespace_id, name) do update set text = excluded.text, updated_at = excluded.updated_at`.execute(
          tx,
        );
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from ${from} where namespace_id = ${namespaceId}`.execute(tx);
        if ((rows[0]?.count ?? 0) > textsMax)
          throw badRequest(`there are ${textsMax} of them already: delete some first`);
      });
      return [];
    },
    remove: (name) => changed((tx) => sql`delete from ${from} where ${named(name)}`.execute(tx)),
  };
}
