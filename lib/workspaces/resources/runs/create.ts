import { invalidAttribute, notFound } from '#path/jsonapi/error.ts';
import type { BodyOf } from '#path/jsonapi/input.ts';
import type { ApiReply } from '#path/jsonapi/row.ts';
import { runLevels } from '../../access/levels.ts';
import type { FoundWorkspace } from '../../access/workspace.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { insertRun } from '../run-lifecycle/insert.ts';
import { readRun } from '../run-lifecycle/store.ts';
import { runOf } from '../run-lifecycle/view.ts';
import type { runBody } from './fields.ts';

/** Creates a run. @throws ApiError 404, 422 */
export async function createRun(
  parts: WorkspaceParts,
  { workspace, levels, standing }: FoundWorkspace,
  { attributes: sent, related }: BodyOf<typeof runBody>,
): Promise<ApiReply> {
  const { store } = parts;
  const destroys = sent['is-destroy'] === true;
  const planOnly = sent['plan-only'] === true;
  // Callers without the right to apply may not request an automatic apply either.
  const applies = sent['auto-apply'] === true || (destroys && !planOnly);
  if (applies && levels.runs < runLevels.apply) throw notFound();
  mustFit(sent);
  const { message, 'auto-apply': autoApply, 'plan-only': _planOnly, variables, ...settings } = sent;
  const id = await store.transaction((tx) =>
    insertRun(tx, store, {
      workspaceId: workspace.id,
      actor: standing.caller,
      planOnly,
      settings: given(settings),
      source: 'tfe-api',
      message: message ?? 'Queued manually via the API',
      autoApply: autoApply ?? (levels.runs >= runLevels.apply ? undefined : false),
      configurationVersionId: related['configuration-version']?.id,
      variables: variables ?? undefined,
    }),
  );
  return { status: 201, data: runOf(parts, await readRun(store.db, id), levels) };
}

type Sent = BodyOf<typeof runBody>['attributes'];

function mustFit(sent: Sent): void {
  if (sent['is-destroy'] === true && sent['refresh-only'] === true)
    throw invalidAttribute('refresh-only', 'Refresh only cannot be set for a destroy run');
  if (sent['refresh-only'] === true && sent.refresh === false)
    throw invalidAttribute('refresh', 'Refresh cannot be disabled for a refresh-only run');
  if (sent['save-plan'] === true && sent['plan-only'] === true)
    throw invalidAttribute('save-plan', 'Save plan cannot be set for a plan-only run');
  if (typeof sent['engine-version'] === 'string' && sent['plan-only'] !== true)
    throw invalidAttribute('engine-version', 'Engine version can only be set for a plan-only run');
}

/** Drops null values. */
const given = (settings: object) => Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));
