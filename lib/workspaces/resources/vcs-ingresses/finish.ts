import { sql, type Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { bool } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { receiveArchive } from '../configuration-versions/receive.ts';
import { type ConfigurationVersionRow, readConfigurationVersion } from '../configuration-versions/store.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { runsWhere } from '../run-lifecycle/store.ts';
import { timeOfStatement, transition } from '../run-lifecycle/transition.ts';
import type { Fetched } from './fetch.ts';
import type { IngressRow } from './turns.ts';

type Tx = Transaction<Database>;

const messageCharactersMax = 4_096;
/** Runs that end with their configuration version, at most. */
const runsMax = 100;

/** Stores the files of a commit as its configuration version, and queues the run. @throws GitFailure, ApiError */
export async function keepCommit(store: Store, ingress: IngressRow, fetched: Fetched): Promise<void> {
  const row = await readConfigurationVersion(store.db, ingress.configuration_version_id);
  await receiveArchive(store, fetched.archive() as AsyncIterable<Buffer>, {
    row,
    allowed: async () => {},
    kept: (tx) => complete(tx, store, { ingress, fetched, row }),
  });
}

async function complete(
  tx: Tx,
  store: Store,
  {
    ingress,
    fetched,
    row,
  }: { readonly ingress: IngressRow; readonly fetched: Fetched; readonly row: ConfigurationVersionRow },
): Promise<void> {
  if (!row.speculative)
    await sql`update ws_workspaces set current_configuration_version_id = ${row.id} where id = ${row.workspace_id}`.execute(
      tx,
    );
  const runId = await queueRun(tx, store, { ingress, fetched, row });
  await sql`
    update ws_ingresses set next_at = null, claimed_until = null, commit_sha = ${fetched.sha}, run_id = ${runId ?? null},
           attributes = ${JSON.stringify(fetched.facts)}, changed_files = ${JSON.stringify(fetched.changedFiles)},
           status_at = case when ${runId !== undefined} then now() end
     where id = ${ingress.id}`.execute(tx);
}

/** A workspace that cannot queue runs still keeps its files. A workspace without runs waits for the first one that is made by hand, unless `queue-all-runs`. */
async function queueRun(
  tx: Tx,
  store: Store,
  { ingress, fetched, row }: Parameters<typeof complete>[2],
): Promise<string | undefined> {
  const { request } = ingress;
  if (!row.auto_queue_runs) return undefined;
  if (!row.speculative && !request.isAsked && !(await queuesRuns(tx, row.workspace_id))) return undefined;
  const message = fetched.facts['pull-request-title'] ?? fetched.facts['commit-message'] ?? fetched.sha;
  return insertRun(tx, store, {
    workspaceId: row.workspace_id,
    configurationVersionId: row.id,
    planOnly: row.speculative,
    settings: {},
    actor: { kind: row.created_by_kind ?? 'organization', id: row.created_by ?? ingress.organization_id },
    message: message.slice(0, messageCharactersMax),
    source: 'tfe-configuration-version',
    autoApply: request.mayApply ? undefined : false,
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return undefined;
  });
}

async function queuesRuns(tx: Tx, workspaceId: string): Promise<boolean> {
  const { rows } = await rowsOf({ queues: bool })`
    select coalesce(w.settings->'queue-all-runs' = 'true', false) or w.runs_count > 0 as queues
      from ws_workspaces w where w.id = ${workspaceId}`.execute(tx);
  return rows[0]?.queues ?? false;
}

/** Nothing of it concerns the workspace. */
export async function dropCommit(
  { db }: Pick<Store, 'db'>,
  { configuration_version_id: id }: IngressRow,
): Promise<void> {
  await sql`delete from ws_configuration_versions where id = ${id} and status = 'pending'`.execute(db);
}

/** The reason is shown at the configuration version, while the commit is tried again too. */
export async function noteFailure(tx: Tx, { configuration_version_id: id }: IngressRow, reason: string): Promise<void> {
  await sql`update ws_configuration_versions set error_message = ${reason} where id = ${id} and status = 'pending'`.execute(
    tx,
  );
}

/** Ends the configuration version, and the runs that were made for it. The caller holds the lock on the workspace row. */
export async function giveUp(tx: Tx, ingress: IngressRow): Promise<void> {
  const { id, configuration_version_id: versionId, organization_id: organizationId } = ingress;
  await sql`
    update ws_configuration_versions set status = 'errored',
           timestamps = timestamps || jsonb_build_object('errored-at', ${timeOfStatement})
     where id = ${versionId} and status = 'pending'`.execute(tx);
  const runs = await runsWhere(tx, sql`r.configuration_version_id = ${versionId} and r.status = 'pending'`, {
    size: runsMax,
    offset: 0,
  });
  for (const run of runs) await transition(tx, run, 'errored', { kind: 'organization', id: organizationId });
  await sql`
    update ws_ingresses set next_at = null, claimed_until = null, status_at = case when commit_sha is not null then now() end
     where id = ${id}`.execute(tx);
}
