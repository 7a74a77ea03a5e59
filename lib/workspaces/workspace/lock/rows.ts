import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { lockWorkspace } from './lock.ts';
import { forceUnlockWorkspace, unlockWorkspace } from './unlock.ts';

const actions = '/api/v2/workspaces/:workspace_id/actions';

/** The lock of a workspace (specification 002, sections 3 and 4.5). */
export const lockRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'POST',
    path: `${actions}/lock`,
    summary: 'Lock a workspace',
    run: (call) => lockWorkspace(parts, call),
  },
  {
    method: 'POST',
    path: `${actions}/unlock`,
    summary: 'Release the lock that one has',
    run: (call) => unlockWorkspace(parts, call),
  },
  {
    method: 'POST',
    path: `${actions}/force-unlock`,
    summary: 'Release the lock that anyone has',
    run: (call) => forceUnlockWorkspace(parts, call),
  },
];
