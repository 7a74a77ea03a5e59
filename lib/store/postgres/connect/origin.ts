import type pg from 'pg';
import type { TargetServer } from '#core/settings/database/address.ts';
import { bool, float, int } from '../../sql/kinds.ts';
import { queryRows } from '../../sql/rows.ts';
import { ConnectRefusal } from '../refusal.ts';

/** The server process that a connection has reached, from one server start to the next. */
export interface Origin {
  /** When the server was started, in milliseconds since 1970 by its own clock. Behind one address, the later start has taken over. */
  readonly startedAtMs: number;
  /** Id of the process that serves this connection, or served it when it was opened. */
  readonly processId: number;
}

const columns = { standby: bool, read_only: bool, started: float, process: int };

const originQuery = `
  select pg_catalog.pg_is_in_recovery() as standby, pg_catalog.current_setting('transaction_read_only')::bool as read_only,
         pg_catalog.pg_backend_pid() as process,
         (extract(epoch from pg_catalog.pg_postmaster_start_time()) * 1000)::float8 as started`;

/** Asks the server for its origin. @throws ConnectRefusal when the server is not of the kind that `target` requires */
export async function originOf(client: pg.Client, target: TargetServer): Promise<Origin> {
  const [row] = await queryRows(client, columns, originQuery);
  if (row === undefined) throw new ConnectRefusal('it does not report its state');
  if (target !== 'any' && row.standby) throw new ConnectRefusal('it is a standby');
  if (target === 'read-write' && row.read_only) throw new ConnectRefusal('it is read-only');
  return { startedAtMs: row.started, processId: row.process };
}
