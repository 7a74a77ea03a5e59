import type { Transaction } from 'kysely';
import { ApiError } from '#path/jsonapi/error.ts';
import { bytesBody } from '#path/jsonapi/input.ts';
import type { ApiReply, ApiRow } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import { type Bearer, callerNow, makerOf } from '../../access/bearer.ts';
import { findFor } from '../../access/needs/needs.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { countedByGrant, grantIn, grantSecret } from '../state-blobs/grant.ts';
import { blobBytesMax } from '../state-blobs/parts.ts';
import { receiveArchive } from './receive.ts';
import { type ConfigurationVersionRow, readConfigurationVersion } from './store.ts';
import { putConfiguration } from './view.ts';

/** Receives the archive of a configuration version. The address itself is the secret. */
export const configurationFileRow = (parts: WorkspaceParts): ApiRow =>
  operation({
    method: 'PUT',
    path: '/api/v2/configuration-files/:grant',
    summary: 'Upload the archive of a configuration version',
    needs: { open: 'signed-address' },
    secrets: grantSecret,
    countedBy: countedByGrant(parts),
    streamBytesMax: blobBytesMax,
    body: bytesBody,
    replies: { 200: null, 409: 'The configuration version already has another archive' },
    async run({ parameters, stream }) {
      const { id, bearer } = grantIn(parts, parameters.grant, [putConfiguration]);
      const row = await readConfigurationVersion(parts.store.db, id);
      await receiveArchive(parts.store, stream, {
        row,
        allowed: (store) => mustStillPlan(store, { row, bearer }),
        kept: async (tx, now) => {
          if (!now.speculative && now.auto_queue_runs) await queueRun(tx, parts.store, now);
        },
      });
      return received;
    },
  });

const received: ApiReply = { status: 200 };

/** The creator of a version may upload its archive while it has the right to plan. @throws ApiError 404 */
async function mustStillPlan(
  store: Pick<Store, 'db'>,
  { row, bearer }: { readonly row: ConfigurationVersionRow; readonly bearer: Bearer | undefined },
): Promise<void> {
  const caller = await callerNow(store, bearer ?? makerOf(row));
  await findFor(store, { workspace: 'plan' }, { caller, parameters: {}, named: { workspace_id: row.workspace_id } });
}

/** A workspace that cannot queue runs still keeps the archive. */
async function queueRun(
  tx: Transaction<Database>,
  store: WorkspaceParts['store'],
  { id, workspace_id, created_by_kind, created_by }: ConfigurationVersionRow,
): Promise<void> {
  await insertRun(tx, store, {
    workspaceId: workspace_id,
    configurationVersionId: id,
    planOnly: false,
    settings: {},
    actor: { kind: created_by_kind ?? 'user', id: created_by ?? '' },
    message: 'Queued when the configuration was uploaded',
    source: 'tfe-configuration-version',
    // An upload by a caller with only the right to plan must not lead to an apply.
    autoApply: false,
  }).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}
