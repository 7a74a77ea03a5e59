import { sql, type Transaction } from 'kysely';
import { parseJson } from '#core/json/json.ts';
import { ApiError, invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { BodyOf } from '#path/jsonapi/input.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { newId } from '../../frame/ids.ts';
import { attachBlob, dropBlob, type StoredBlob, writeBlob } from '../state-blobs/write.ts';
import type { stateVersionBody } from './fields.ts';
import { mustHoldLock } from './lock.ts';
import { jsonOutputsName, settle } from './settle.ts';
import { readStateVersion, stateVersionsWhere } from './store.ts';
import { mustFollow } from './succession.ts';
import { type StateSummary, SummaryReader } from './summary.ts';
import { stateVersionOf } from './view.ts';

/** Minimum interval of snapshots that clients upload during an apply. */
const snapshotSeconds = '20';

/**
 * Creates a state version. With `state` in the document it is final at once; else it waits for its file at the upload address.
 *
 * @throws ApiError 404, 409 when the caller does not hold the lock or the state cannot follow, 412 for a wrong hash, 422
 */
export async function createStateVersion(
  parts: WorkspaceParts,
  found: FoundWorkspace,
  body: BodyOf<typeof stateVersionBody>,
  origin: string,
): Promise<ApiReply> {
  const { store } = parts;
  const wanted = wantedOf(body);
  const files = await storeInline(parts, found, wanted);
  const id = newId('sv');
  try {
    await store.transaction((tx) => insert(tx, parts, { id, found, wanted, files }));
  } catch (error) {
    for (const blob of [files.state?.blob, files.json]) if (blob !== undefined) await dropBlob(store, blob.id);
    throw error;
  }
  const row = await readStateVersion(store.db, id);
  const reader = { origin, level: found.levels.state_versions, caller: found.standing.caller };
  const headers = { 'x-terraform-snapshot-interval': snapshotSeconds };
  return { status: 201, data: stateVersionOf(parts, row, reader), headers };
}

type Wanted = ReturnType<typeof wantedOf>;

function wantedOf({ attributes: sent, related }: BodyOf<typeof stateVersionBody>) {
  if (sent.serial === undefined) throw invalidAttribute('serial', "Serial can't be blank");
  if (sent.md5 === undefined) throw invalidAttribute('md5', "Md5 can't be blank");
  const outputs = sent['json-state-outputs'] ?? undefined;
  if (outputs !== undefined) mustBeJson(outputs);
  return {
    serial: sent.serial,
    md5: sent.md5.toLowerCase(),
    lineage: sent.lineage ?? null,
    force: sent.force === true,
    intermediate: sent.intermediate === true,
    state: sent.state ?? undefined,
    json: sent['json-state'] ?? undefined,
    outputs,
    runId: related.run?.id ?? null,
  };
}

function mustBeJson(bytes: Buffer): void {
  try {
    parseJson(bytes.toString());
  } catch {
    throw invalidAttribute('json-state-outputs', 'Json state outputs must be JSON');
  }
}

interface InlineFiles {
  readonly state?: { readonly blob: StoredBlob; readonly summary: StateSummary };
  readonly json?: StoredBlob;
}

async function storeInline(
  { store }: WorkspaceParts,
  { workspace }: FoundWorkspace,
  wanted: Wanted,
): Promise<InlineFiles> {
  if (wanted.state === undefined) return {};
  const summary = new SummaryReader();
  const blob = await writeBlob(store, { workspaceId: workspace.id, kind: 'state' }, once(wanted.state), (piece) =>
    summary.take(piece),
  );
  const state = { blob, summary: await ended(summary, () => dropBlob(store, blob.id)) };
  if (blob.md5 !== wanted.md5) {
    await dropBlob(store, blob.id);
    throw otherHash();
  }
  if (wanted.json === undefined) return { state };
  return { state, json: await writeBlob(store, { workspaceId: workspace.id, kind: 'json-state' }, once(wanted.json)) };
}

/** The summary of an uploaded file. Drops the file when it is not a valid state. */
export async function ended(reader: SummaryReader, drop: () => Promise<void>): Promise<StateSummary> {
  try {
    return reader.end();
  } catch (error) {
    await drop();
    throw error;
  }
}

export const otherHash = (): ApiError =>
  new ApiError(412, {
    title: 'precondition failed',
    detail: 'The state does not have the MD5 hash in the document',
  });

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

interface Insertion {
  readonly id: string;
  readonly found: FoundWorkspace;
  readonly wanted: Wanted;
  readonly files: InlineFiles;
}

async function insert(tx: Transaction<Database>, parts: WorkspaceParts, insertion: Insertion): Promise<void> {
  const { id, found, wanted, files } = insertion;
  const { workspace, standing, levels } = found;
  const { caller } = standing;
  const { barrier } = parts.store;
  const held = await holdWorkspace(tx, workspace.id);
  await mustHoldLock(tx, held, { caller, levels, runId: wanted.runId });
  if (wanted.runId !== null) await mustBeRunOf(tx, workspace.id, wanted.runId);
  const [known] = await stateVersionsWhere(tx, sql`s.workspace_id = ${workspace.id} and s.status = 'finalized'`);
  mustFollow(wanted, known, wanted.force);
  const maker = caller.kind === 'run' ? await makerOfRun(tx, caller.id) : caller;
  const outputs = wanted.outputs === undefined ? null : barrier.seal(wanted.outputs, jsonOutputsName(id));
  await sql`
    insert into ws_state_versions
      (id, workspace_id, serial, lineage, md5, intermediate, created_by_kind, created_by, run_id, lock_epoch,
       json_outputs)
    values (${id}, ${workspace.id}, ${wanted.serial}, ${wanted.lineage}, ${wanted.md5}, ${wanted.intermediate},
            ${maker.kind}, ${maker.id}, ${wanted.runId}, ${held.lock_epoch}, ${outputs})`.execute(tx);
  const { state, json } = files;
  if (json !== undefined) {
    await attachBlob(tx, parts.store, json);
    await sql`update ws_state_versions set json_blob_id = ${json.id} where id = ${id}`.execute(tx);
  }
  if (state === undefined) return;
  const version = { id, workspace_id: workspace.id, intermediate: wanted.intermediate, json_outputs: outputs };
  await settle(tx, parts.store, version, state);
}

async function mustBeRunOf(tx: Transaction<Database>, workspaceId: string, runId: string): Promise<void> {
  const { rows } = await sql`select 1 from ws_runs where id = ${runId} and workspace_id = ${workspaceId}`.execute(tx);
  if (rows.length === 0) throw unprocessable('Run not found, or you are not authorized to use it.');
}

/** An agent creates states for the creator of the run. */
async function makerOfRun(tx: Transaction<Database>, id: string) {
  const { rows } = await rowsOf({ kind: nullable(text), id: nullable(text) })`
    select created_by_kind as kind, created_by as id from ws_runs where id = ${id}`.execute(tx);
  return rows[0] ?? { kind: null, id: null };
}
