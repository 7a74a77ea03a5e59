import type pg from 'pg';
import type { ServerClient } from '../connect/server-client.ts';

/** Limits and planning of a session as the server gives them to a connection that asks for none. Times are in milliseconds. */
export interface SessionDefaults {
  readonly statement_timeout: number;
  readonly idle_in_transaction_session_timeout: number;
  readonly random_page_cost: number;
  readonly jit: boolean;
}

/**
 * Whether something between us and PostgreSQL speaks for it: the number of the process that it gave us at the login, by which a
 * statement is cancelled, is not that of the process that runs our statements. What only passes bytes on, such as a TLS tunnel, is none.
 */
export const isPooled = (client: ServerClient): boolean => client.origin?.processId !== cancelKeyOf(client)?.processId;

/** What ends a statement of this connection from outside. */
export function cancelKeyOf(client: object): { readonly processId: number; readonly secret: number } | undefined {
  if (!('processID' in client) || !('secretKey' in client)) return undefined;
  const { processID: processId, secretKey: secret } = client;
  return typeof processId === 'number' && typeof secret === 'number' ? { processId, secret } : undefined;
}

const probeName = 'keyferry_probe';
const probeText = `select name from pg_prepared_statements where position('keyferry looks for a pooler' in statement) > 0`;

/**
 * Whether the pooler keeps prepared statements, as PgBouncer does since 1.21: it then prepares them under names of its own. One that passes
 * our name on knows nothing of it, and would send the next use to a server that does not either.
 */
export async function keepsStatements(client: pg.ClientBase): Promise<boolean> {
  await client.query('begin');
  try {
    const { rows } = await client.query<{ name: string }>({ name: probeName, text: probeText });
    const kept = rows.length > 0 && rows.every(({ name }) => name !== probeName);
    // Still the same server, for as long as the transaction lasts: it is left as it was.
    if (!kept) await client.query(`deallocate ${probeName}`);
    await client.query('commit');
    return kept;
  } catch {
    // Such as 42P05: another process has left the name there.
    await client.query('rollback');
    return false;
  }
}

export async function sessionDefaults(client: pg.ClientBase): Promise<SessionDefaults> {
  const { rows } = await client.query<{ name: string; setting: string }>(
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
