import { sql, type Transaction } from 'kysely';
import { bytea, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { ReadmeSearch } from './readme-search.ts';

const sealedName = (id: string): string => `ws_readmes/${id}`;

/** A search for the README in the working directory of the workspace. */
export async function readmeSearch({ db }: Pick<Store, 'db'>, workspaceId: string): Promise<ReadmeSearch> {
  const { rows } = await rowsOf({ folder: nullable(text) })`
    select settings->>'working-directory' as folder from ws_workspaces where id = ${workspaceId}`.execute(db);
  return new ReadmeSearch(rows[0]?.folder ?? '');
}

export async function keepReadme(
  tx: Transaction<Database>,
  { barrier }: Pick<Store, 'barrier'>,
  configurationVersionId: string,
  markdown: Buffer,
): Promise<void> {
  const sealed = barrier.seal(markdown, sealedName(configurationVersionId));
  await sql`insert into ws_readmes (configuration_version_id, markdown) values (${configurationVersionId}, ${sealed})
            on conflict do nothing`.execute(tx);
}

/** Contents of README files by configuration version. */
export async function readReadmes(
  { db, barrier }: Pick<Store, 'db' | 'barrier'>,
  configurationVersionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await rowsOf({ id: text, markdown: bytea })`
    select configuration_version_id as id, markdown from ws_readmes
     where configuration_version_id = any((select ${configurationVersionIds}::text[])::text[])`.execute(db);
  return new Map(rows.map(({ id, markdown }) => [id, barrier.open(markdown, sealedName(id)).toString()]));
}

/** The id of the README of a configuration version, which has at most one. */
export const readmeIdOf = (configurationVersionId: string): string => configurationVersionId.replace(/^cv-/, 'readme-');
