import { sql, type Transaction } from 'kysely';
import { badRequest } from '#core/errors.ts';
import type { Namespace } from '#core/namespace.ts';
import { int, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** Texts by name: policies or password policies. */
export interface TextStore {
  /** Names in byte order. */
  names(): Promise<readonly string[]>;
  read(name: string): Promise<string | undefined>;
  /** Writes a text and returns warnings. @throws AppError `bad-request` when there would be too many */
  write(name: string, text: string): Promise<readonly string[]>;
  /** Removing a text that does not exist is a success. */
  remove(name: string): Promise<void>;
}

/** Bound of each namespace and kind, so that all names fit into one reply. */
const textsMax = 50_000;

/** The texts of a namespace. */
export type TextsOf = (namespace: Namespace) => TextStore;

/**
 * Every change first increments the revision `policies`, so changes wait for each other: the bound is exact, and a reader of a revision
 * reads all changes up to it.
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
      const { rows } = await rowsOf({ name: text })`
        select name from ${from} where namespace_id = ${namespaceId} order by name limit ${textsMax}`.execute(store.db);
      return rows.map(({ name }) => name);
    },
    async read(name) {
      const { rows } = await rowsOf({ text: text })`select text from ${from} where ${named(name)}`.execute(store.db);
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
        const { rows } = await rowsOf({ count: int })`
          select count(*)::int as count from ${from} where namespace_id = ${namespaceId}`.execute(tx);
        if ((rows[0]?.count ?? 0) > textsMax)
          throw badRequest(`there are ${textsMax} policies already: delete some first`);
      });
      return [];
    },
    remove: (name) => changed((tx) => sql`delete from ${from} where ${named(name)}`.execute(tx)),
  };
}
