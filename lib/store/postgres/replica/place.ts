import { type Kysely, sql } from 'kysely';
import type { RowOf } from '../../sql/columns.ts';
import { bigintText, int } from '../../sql/kinds.ts';
import { rowsOf } from '../../sql/rows.ts';
import type { Database } from '../../tables.ts';

/** The position of a server in the write-ahead log of its installation. */
export interface Place {
  /** Identifier of the PostgreSQL installation: a standby has that of its primary. */
  readonly system: string;
  /** Increases with each promotion. */
  readonly timeline: number;
  readonly position: bigint;
}

const columns = { system: bigintText, timeline: int, position: bigintText };

const bytes = (lsn: string) => sql`pg_wal_lsn_diff(${sql.raw(lsn)}, '0/0')::text`;
const system = sql`(select system_identifier::text from pg_control_system())`;

const placeOf = ({ position, ...row }: RowOf<typeof columns>): Place => ({ ...row, position: BigInt(position) });

/** Every commit lies before this position, flushed to disk or not. @throws AppError when the server is not a primary */
export async function placeOfPrimary(db: Kysely<Database>): Promise<Place> {
  const { rows } = await rowsOf(columns)`
    select ${system} as system, ('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::int as timeline,
           ${bytes('pg_current_wal_insert_lsn()')} as position`.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the primary did not report its position');
  return placeOf(row);
}

/** Undefined when the server is not a standby or has replayed nothing yet. */
export async function placeOfReplica(db: Kysely<Database>): Promise<Place | undefined> {
  const { rows } = await rowsOf(columns)`
    select ${system} as system,
           greatest((select timeline_id from pg_control_checkpoint()),
                    (select min_recovery_end_timeline from pg_control_recovery())) as timeline,
           ${bytes('pg_last_wal_replay_lsn()')} as position
     where pg_is_in_recovery() and pg_last_wal_replay_lsn() is not null`.execute(db);
  const [row] = rows;
  return row && placeOf(row);
}
