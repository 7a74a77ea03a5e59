import type pg from 'pg';
import type { TargetServer } from '../../../core/database/address.ts';
import { ConnectRefusal } from './refusal.ts';

/** The run of a server that a connection has come to. */
export interface Origin {
  /** When the server was started, in milliseconds since 1970 by its clock. Of two runs behind one address the later has taken over. */
  readonly startedAtMs: number;
  /** Of the process that serves this connection, or served it when it was opened. */
  readonly processId: number;
}

interface Row {
  readonly standby: boolean;
  readonly read_only: boolean;
  readonly started: number;
  readonly process: number;
}

const question = `
  select pg_catalog.pg_is_in_recovery() as standby, pg_catalog.current_setting('transaction_read_only')::bool as read_only,
         pg_catalog.pg_backend_pid() as process,
         (extract(epoch from pg_catalog.pg_postmaster_start_time()) * 1000)::float8 as started`;

/** Finds out which server has answered. @throws ConnectRefusal for one that is not wanted */
export async function originOf(client: pg.Client, target: TargetServer): Promise<Origin> {
  const [row] = (await client.query<Row>(question)).rows;
  if (row === undefined) throw new ConnectRefusal('it does not say what it is');
  if (target !== 'any' && row.standby) throw new ConnectRefusal('it is a standby');
  if (target === 'read-write' && row.read_only) throw new ConnectRefusal('it is read-only');
  return { startedAtMs: row.started, processId: row.process };
}
