import type { FileHandle } from 'node:fs/promises';
import { Kysely } from 'kysely';
import type pg from 'pg';
import { systemClock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import { migrate } from '../migrate.ts';
import { type Migration, migrations } from '../migrations/index.ts';
import type { DatabaseAccess } from '../postgres/connect/servers.ts';
import { poolDialect } from '../postgres/driver.ts';
import { type Lineage, readLineage } from '../postgres/lineage.ts';
import { openPool } from '../postgres/pool.ts';
import { Reachability } from '../postgres/reachability.ts';
import { mustBeSupported } from '../postgres/version.ts';
import { appliedMigrations, clusterIdOf, functionNames, tableNames } from './catalog.ts';
import { load } from './load.ts';
import { type BackupHeader, begin, connect, type Moved, type OnTable, quoted } from './parts.ts';
import { verify } from './verify.ts';

export interface RestoreParts {
  readonly database: DatabaseAccess;
  readonly file: FileHandle;
  /** Replaces a store that is there. */
  readonly force: boolean;
  readonly log: Log;
  readonly onTable: OnTable;
}

/**
 * Makes a database what a backup says: its schema as it was then, the rows in one transaction, then the steps of the schema
 * that came since. Cut off anywhere it leaves a store that is not initialised, and is run again.
 *
 * @throws Error for a damaged file, one of a newer release, and a database that holds something
 */
export async function restore({ database, file, force, log, onTable }: RestoreParts): Promise<Moved> {
  const { header } = await verify(file);
  const known = stepsOf(header);
  const client = await connect(database);
  try {
    await bringTo(database, log, mustBeSupported);
    await begin(client);
    await mustBeFree(client, force);
    await dropSchema(client);
    await client.query('commit');
    await bringTo(database, log, (db) => formerSchema(db, known));
    const lineage = await bringTo(database, log, readLineage);
    await begin(client);
    const rows = await load(client, file, onTable);
    await adopt(client, lineage);
    await client.query('commit');
    await bringTo(database, log, migrate);
    return { header, rows };
  } finally {
    await client.end();
  }
}

/** The steps that make the schema of the backup. @throws Error for one of a newer release */
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
      `the database holds tables that are not of this service, such as ${tables[0]}: restore into an empty one`,
    );
  }
  if (force || (await clusterIdOf(client)) === undefined) return;
  throw new Error('the database holds a store already: restore into an empty one, or replace it with --force');
}

/** Tables take their triggers with them, and leave the functions of these. */
async function dropSchema(client: pg.Client): Promise<void> {
  const tables = await tableNames(client);
  if (tables.length > 0) await client.query(`drop table ${tables.map(quoted).join(', ')} cascade`);
  const functions = await functionNames(client);
  if (functions.length > 0) await client.query(`drop function ${functions.join(', ')} cascade`);
}

const statementMsMax = 600_000;

async function bringTo<T>(database: DatabaseAccess, log: Log, work: (db: Kysely<object>) => Promise<T>): Promise<T> {
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

/** The rows stand in the history of this database from now on: to the sync a restore is no failover. */
async function adopt(client: pg.Client, { cluster, timeline }: Lineage): Promise<void> {
  const { rows } = await client.query<{ there: boolean }>(`select to_regclass('lineage') is not null as there`);
  if (rows[0]?.there === true)
    await client.query('update lineage set cluster = $1, timeline = $2', [cluster, timeline]);
}

/** The schema of a backup, with what its release may have changed of it while it ran. */
async function formerSchema(db: Kysely<object>, known: readonly Migration[]): Promise<void> {
  await migrate(db, known);
  const later = migrations.slice(known.length);
  for (const step of later.filter(({ beforeEarlierRows }) => beforeEarlierRows === true)) await step.up(db);
}
