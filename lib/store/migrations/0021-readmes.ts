import { type QueryExecutorProvider, sql } from 'kysely';

/** README files of configuration versions, sealed. */
export async function readmes(db: QueryExecutorProvider): Promise<void> {
  await sql`
    create table ws_readmes (
      configuration_version_id text collate "C" primary key references ws_configuration_versions (id) on delete cascade,
      markdown bytea not null
    )`.execute(db);
}
