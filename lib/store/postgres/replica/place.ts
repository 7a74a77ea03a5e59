import { type Kysely, sql } from 'kysely';
import type { Database } from '../../tables.ts';

/** Where a server is in the log of its installation. */
export interface Place {
  /** Of the installation of PostgreSQL: a standby has that of its primary. */
  readonly system: string;
  /** Grows with each promotion. */
  readonly timeline: number;
  readonly position: bigint;
}

interface Row {
  readonly system: string;
  readonly timeline: number;
  readonly position: string;
}

const bytes = (lsn: string) => sql`pg_wal_lsn_diff(${sql.raw(lsn)}, '0/0')::text`;
const system = sql`(select system_identifier::text from pg_control_system())`;

const placeOf = ({ position, ...row }: Row): Place => ({ ...row, position: BigInt(position) });

/** What has been committed lies before it, whether it is on the disk or not. @throws AppError of a server that is no primary */
export async function placeOfPrimary(db: Kysely<Database>): Promise<Place> {
  const { rows } = await sql<Row>`
    select ${system} as system, ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline,
           ${bytes('pg_current_wal_insert_lsn()')} as position`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the primary did not say where it is');
  return placeOf(row);
}

/** Undefined: the server is no standby, or has replayed nothing. */
export async function placeOfReplica(db: Kysely<Database>): Promise<Place | undefined> {
  const { rows } = await sql<Row>`
    select ${system} as system,
           greatest((select timeline_id from pg_control_checkpoint()),
                    (select min_recovery_end_timeline from pg_control_recovery())) as timeline,
           ${bytes('pg_last_wal_replay_lsn()')} as position
     where pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null`.execute(db);
  const [row] = rows;
  return row && placeOf(row);
}
