import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Room on the pages of rows that are updated in place, and a vacuum that comes by the number of changed rows. By the server's own
 * settings it comes when a fifth of a table is dead, which is millions of rows, and then takes so many pauses that it does not keep
 * up. Existing pages keep their fill until they are written anew.
 */
export async function hotTables(db: QueryExecutorProvider): Promise<void> {
  for (const [table, settings] of Object.entries(hot)) {
    const list = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    await alterSoon(db, sql.raw(`alter table ${table} set (${list.join(', ')})`));
  }
}

const hurried = { autovacuum_vacuum_cost_limit: 2_000 };

/** Dead and changed rows, as a share of the table. */
const share = (vacuum: number, analyze: number) => ({
  autovacuum_vacuum_scale_factor: vacuum,
  autovacuum_vacuum_insert_scale_factor: vacuum,
  autovacuum_analyze_scale_factor: analyze,
});

/** Rows come and go, and few are there at a time: what counts is how many have gone. */
const queue = { autovacuum_vacuum_scale_factor: 0, autovacuum_vacuum_threshold: 1_000 };

const hot = {
  // Each change writes a row three times. The change and its result move it in the indexes of what is out of date; its claim does not.
  associations: { fillfactor: 80, ...share(0.02, 0.02), ...hurried },
  sync_objects: { fillfactor: 85, ...share(0.05, 0.05), ...hurried },
  tokens: { ...share(0.02, 0.02), ...hurried },
  // Lists read the index alone where vacuum has been.
  kv_secrets: { ...share(0.05, 0.05), ...hurried },
  kv_versions: { ...share(0.05, 0.05), ...hurried },
  cubbyhole: queue,
  wrapped_replies: queue,
  login_failures: queue,
  mfa_pending_logins: queue,
  mfa_used_codes: queue,
  ws_deliveries: queue,
  ws_audit_events: share(0.05, 0.05),
};
