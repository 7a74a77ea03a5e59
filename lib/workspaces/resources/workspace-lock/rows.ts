import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { forceUnlockWorkspace, lockWorkspace, unlockWorkspace } from './lock.ts';
import { reasonBody } from './reason.ts';

const actions = '/api/v2/workspaces/:workspace_id/actions';

/** The lock of a workspace. */
export const lockRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'POST',
    path: `${actions}/lock`,
    summary: 'Lock a workspace',
    needs: { workspace: 'lock' },
    body: reasonBody,
    replies: { 200: 'workspaces', 409: 'The workspace is locked already' },
    run: ({ found, body }) => lockWorkspace(parts, found, body),
  }),
  operation({
    method: 'POST',
    path: `${actions}/unlock`,
    summary: 'Unlock a workspace locked by the caller',
    needs: { workspace: 'lock' },
    replies: {
      200: 'workspaces',
      409: 'The workspace is not locked, or locked by another holder',
      503: 'The latest state version is still pending',
    },
    run: ({ found }) => unlockWorkspace(parts, found),
  }),
  operation({
    method: 'POST',
    path: `${actions}/force-unlock`,
    summary: 'Unlock a workspace locked by any caller',
    needs: { workspace: 'admin' },
    replies: { 200: 'workspaces', 409: 'The workspace is not locked' },
    run: ({ found }) => forceUnlockWorkspace(parts, found),
  }),
];
