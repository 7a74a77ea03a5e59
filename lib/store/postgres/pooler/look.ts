import type pg from 'pg';
import { text } from '../../sql/kinds.ts';
import { queryRows } from '../../sql/rows.ts';
import type { ServerClient } from '../connect/server-client.ts';

/** Limits and planner settings that the server gives a session that requests none. Times are in milliseconds. */
export interface SessionDefaults {
  readonly statement_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
  readonly random_page_cost: number;
  readonly jit: boolean;
}

/**
 * Whether a pooler answers for PostgreSQL: the process id received at login, which cancels statements, differs from that of the
 * process that runs our statements. Anything that only forwards bytes, such as a TLS tunnel, is not a pooler.
 */
export const isPooled = (client: ServerClient): boolean => client.origin?.processId !== cancelKeyOf(client)?.processId;

/** The key that another connection needs to cancel a statement of this one. */
export function cancelKeyOf(client: object): { readonly processId: number; readonly secret: number } | undefined {
  if (!('processID' in client) || !('secretKey' in client)) return undefined;
  const { processID: processId, secretKey: secret } = client;
  return typeof processId === 'number' && typeof secret === 'number' ? { processId, secret } : undefined;
}

const probeName = 'keyferry_probe';
const probeText = `select name from pg_prepared_statements where position('keyferry looks for a pooler' in statement) > 0`;

/**
 * Whether the pooler tracks prepared statements, as PgBouncer does since 1.21; it then prepares them under its own names. A pooler
 * that forwards our name does not track it and may send the next use to a server that does not have the statement.
 */
export async function keepsStatements(client: pg.ClientBase): Promise<boolean> {
  await client.query('begin');
  try {
    const rows = await queryRows(client, { name: text }, { name: probeName, text: probeText });
    const kept = rows.length > 0 && rows.every(({ name }) => name !== probeName);
    // Within the transaction the server is still the same, so the probe can be removed from it.
    if (!kept) await client.query(`deallocate ${probeName}`);
    await client.query('commit');
    return kept;
  } catch {
    // For example 42P05: another process has left a statement of this name on the server.
    await client.query('rollback');
    return false;
  }
}

export async function sessionDefaults(client: pg.ClientBase): Promise<SessionDefaults> {
  const rows = await queryRows(
    client,
    { name: text, setting: text },
    `select name, setting from pg_settings
      where name in ('statement_timeout', 'idle_in_transaction_session_timeout', 'random_page_cost', 'jit')`,
  );
  const settings = new Map(rows.map(({ name, setting }) => [name, setting]));
  const number = (name: string) => Number(settings.get(name) ?? 0);
  return {
    statement_timeout: number('statement_timeout'),
    idle_in_transaction_session_timeout: number('idle_in_transaction_session_timeout'),
    random_page_cost: number('random_page_cost'),
    jit: settings.get('jit') !== 'off',
  };
}
