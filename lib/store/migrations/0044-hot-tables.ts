import { type QueryExecutorProvider, sql } from 'kysely';
import { alterSoon } from './alter-soon.ts';

/**
 * Leaves room on pages for in-place updates, and makes vacuum run by the number of changed rows. With the default settings of the server
 * it runs only when a fifth of a table is dead, which may be millions of rows, and then pauses so often that it cannot keep up. Existing
 * pages keep their fill factor until they are rewritten.
 */
export async function hotTables(db: QueryExecutorProvider): Promise<void> {
  for (const [table, settings] of Object.entries(hot)) {
    const list = Object.entries(settings).map(([name, value]) => `${name} = ${value}`);
    await alterSoon(db, sql.raw(`alter table ${table} set (${list.join(', ')})`));
  }
}

const hurried = { autovacuum_vacuum_cost_limit: 2_000 };

/** Dead and changed rows as a fraction of the table. */
const share = (vacuum: number, analyze: number) => ({
  autovacuum_vacuum_scale_factor: vacuum,
  autovacuum_vacuum_insert_scale_factor: vacuum,
  autovacuum_analyze_scale_factor: analyze,
});

/** Small tables with short-lived rows: the trigger is the number of deleted rows. */
const queue = { autovacuum_vacuum_scale_factor: 0, autovacuum_vacuum_threshold: 1_000 };

const hot = {
  // Each change writes a row three times. The change and its result update the indexes of outdated rows; its claim does not.
  associations: { fillfactor: 80, ...share(0.02, 0.02), ...hurried },
  sync_objects: { fillfactor: 85, ...share(0.05, 0.05), ...hurried },
  tokens: { ...share(0.02, 0.02), ...hurried },
  // Lists can use index-only scans on pages that vacuum has visited.
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
