import type { FileHandle } from 'node:fs/promises';
import { Kysely } from 'kysely';
import type pg from 'pg';
import { systemClock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import { migrate } from '../migrate.ts';
import { type Migration, migrations } from '../migrations/index.ts';
import type { DatabaseAccess } from '../postgres/connect/servers.ts';
import { type Lineage, readLineage } from '../postgres/lineage.ts';
import { poolDialect } from '../postgres/pool/driver.ts';
import { openPool } from '../postgres/pool/pool.ts';
import { Reachability } from '../postgres/reachability.ts';
import { mustBeSupported } from '../postgres/version.ts';
import { bool } from '../sql/kinds.ts';
import { queryRows } from '../sql/rows.ts';
import { appliedMigrations, clusterIdOf, functionNames, tableNames } from './catalog.ts';
import { load } from './load.ts';
import { type BackupHeader, begin, connect, type Moved, type OnTable, quoted } from './parts.ts';
import { verify } from './verify.ts';

export interface RestoreParts {
  readonly database: DatabaseAccess;
  readonly file: FileHandle;
  /** Replaces an existing store. */
  readonly force: boolean;
  readonly log: Log;
  readonly onTable: OnTable;
}

/**
 * Restores a backup into a database: the schema as of the backup, all rows in one transaction, then the later migrations. If it is
 * interrupted before the rows are committed, the store is not initialised, and the restore can simply be run again.
 *
 * @throws Error for a damaged file, a backup of a newer release, and a database that is not empty
 */
export async function restore({ database, file, force, log, onTable }: RestoreParts): Promise<Moved> {
  const { header } = await verify(file);
  const steps = stepsOf(header);
  const client = await connect(database);
  try {
    await withPool(database, log, mustBeSupported);
    await begin(client);
    await mustBeFree(client, force);
    await dropSchema(client);
    await client.query('commit');
    await withPool(database, log, (db) => createFormerSchema(db, steps));
    const lineage = await withPool(database, log, readLineage);
    await begin(client);
    const rows = await load(client, file, onTable);
    await storeLineage(client, lineage);
    await client.query('commit');
    await withPool(database, log, migrate);
    return { header, rows };
  } finally {
    await client.end();
  }
}

/** The migrations that create the schema of the backup. @throws Error for a backup of a newer release */
export function stepsOf({ migrations: names }: BackupHeader): readonly Migration[] {
  const unknown = names.find((name, index) => migrations[index]?.name !== name);
  if (unknown === undefined) return migrations.slice(0, names.length);
  throw new Error(
    `the backup has the migration "${unknown}", which this release does not know: restore it with the release that made it, or a newer one`,
  );
}

async function mustBeFree(client: pg.Client, force: boolean): Promise<void> {
  const tables = await tableNames(client);
  if (tables.length === 0) return;
  if ((await appliedMigrations(client)) === undefined) {
    throw new Error(
      `the database has tables that do not belong to this service, such as ${tables[0]}: restore into an empty database`,
    );
  }
  if (force || (await clusterIdOf(client)) === undefined) return;
  throw new Error(
    'the database already has a store: restore into an empty database, or replace the store with --force',
  );
}

/** Dropping a table drops its triggers, but not their functions. */
async function dropSchema(client: pg.Client): Promise<void> {
  const tables = await tableNames(client);
  if (tables.length > 0) await client.query(`drop table ${tables.map(quoted).join(', ')} cascade`);
  const functions = await functionNames(client);
  if (functions.length > 0) await client.query(`drop function ${functions.join(', ')} cascade`);
}

const statementMsMax = 600_000;

async function withPool<T>(database: DatabaseAccess, log: Log, work: (db: Kysely<object>) => Promise<T>): Promise<T> {
  const pool = openPool({
    ...database,
    poolSize: 2,
    statementTimeoutMs: statementMsMax,
    connectTimeoutMs: 10_000,
    log,
  });
  const db = new Kysely<object>({ dialect: poolDialect(pool, new Reachability(systemClock)) });
  return work(db).finally(() => db.destroy());
}

/** Records the lineage of this database, so that the sync does not take the restore for a failover. */
async function storeLineage(client: pg.Client, { cluster, timeline }: Lineage): Promise<void> {
  const rows = await queryRows(client, { exists: bool }, `select to_regclass('lineage') is not null as exists`);
  if (rows[0]?.exists === true)
    await client.query('update lineage set cluster = $1, timeline = $2', [cluster, timeline]);
}

/** Creates the schema of a backup, including the changes that its release may have made at run time. */
async function createFormerSchema(db: Kysely<object>, steps: readonly Migration[]): Promise<void> {
  await migrate(db, steps);
  const later = migrations.slice(steps.length);
  for (const step of later.filter(({ beforeEarlierRows }) => beforeEarlierRows === true)) await step.up(db);
}
