import { attributesOf, dataOf, relatedOne } from '../../../../path/jsonapi/body.ts';
import { invalidAttribute, unprocessable } from '../../../../path/jsonapi/error.ts';
import type { ApiCall, ApiReply } from '../../../../path/jsonapi/row.ts';
import { runLevels } from '../../../access/levels.ts';
import { findWorkspace, mustHave } from '../../../access/workspace.ts';
import type { WorkspaceParts } from '../../../contract.ts';
import { readRun } from '../store.ts';
import { runOf } from '../view.ts';
import { runFields } from './fields.ts';
import { insertRun } from './insert.ts';

/** Makes a run at the request of a client. @throws ApiError 404, 422 */
export async function createRun(parts: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { store } = parts;
  const data = dataOf(call);
  const sent = attributesOf(call, undefined, runFields);
  const place = relatedOne(data, 'workspace');
  if (place === undefined || place === null) throw unprocessable('a workspace is required');
  const { workspace, levels } = await findWorkspace(store, call.caller, { workspace_id: place.id });
  const destroys = sent['is-destroy'] === true;
  const planOnly = sent['plan-only'] === true;
  // Who may not apply may not have it done either.
  const applies = sent['auto-apply'] === true || (destroys && !planOnly);
  mustHave(levels.runs >= (applies ? runLevels.apply : runLevels.plan));
  mustFit(sent);
  const { message, 'auto-apply': autoApply, 'plan-only': _planOnly, variables, ...settings } = sent;
  const id = await store.transaction((tx) =>
    insertRun(tx, store, {
      ...{ workspaceId: workspace.id, actor: call.caller, planOnly, settings: given(settings), source: 'tfe-api' },
      message: message ?? 'Queued manually via the API',
      autoApply: autoApply ?? (levels.runs >= runLevels.apply ? undefined : false),
      configurationVersionId: relatedOne(data, 'configuration-version')?.id,
      variables: variables ?? undefined,
    }),
  );
  return { status: 201, data: runOf(parts, await readRun(store.db, id), levels) };
}

type Sent = ReturnType<typeof attributesOf<typeof runFields>>;

function mustFit(sent: Sent): void {
  if (sent['is-destroy'] === true && sent['refresh-only'] === true)
    throw invalidAttribute('refresh-only', 'Refresh only cannot be set for a run that destroys');
  if (sent['refresh-only'] === true && sent.refresh === false)
    throw invalidAttribute('refresh', 'Refresh cannot be off for a run that only refreshes');
  if (sent['save-plan'] === true && sent['plan-only'] === true)
    throw invalidAttribute('save-plan', 'Save plan cannot be set for a run that only plans');
}

/** Without what is null. */
const given = (settings: object) => Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
