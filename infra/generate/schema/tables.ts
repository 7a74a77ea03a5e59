import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { openStore } from '#store/open.ts';
import { type CatalogColumn, readCatalog } from './catalog.ts';
import { groups } from './groups.ts';
import { renderDatabase, renderTables } from './render.ts';

const tablesFolder = 'lib/store/tables';
const databaseFile = 'lib/store/tables.ts';

/**
 * The types of the tables, from the schema after all migrations: texts of whole files by their paths from
 * the root. @throws Error if a table is in none of the groups, or if notes describe a table or column that does not exist
 */
export async function tableFiles(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const catalog = await migratedCatalog(databaseUrl);
  const described = new Set(Object.values(groups).flatMap((notes) => Object.keys(notes)));
  const missing = catalog.find(({ table }) => !described.has(table));
  if (missing !== undefined) throw new Error(`add the table ${missing.table} to one of infra/generate/schema/notes/`);
  const files = Object.entries(groups).map(
    ([group, notes]) => [`${tablesFolder}/${group}.ts`, renderTables(group, notes, catalog)] as const,
  );
  return new Map([...files, [databaseFile, renderDatabase(groups)]]);
}

async function migratedCatalog(databaseUrl: string): Promise<readonly CatalogColumn[]> {
  const store = await openStore({
    databaseUrl,
    poolSize: 2,
    statementTimeoutMs: 60_000,
    connectTimeoutMs: 60_000,
    seal: 'shamir',
    log: silentLog,
    clock: systemClock,
  });
  return readCatalog(store).finally(() => store.close());
}
