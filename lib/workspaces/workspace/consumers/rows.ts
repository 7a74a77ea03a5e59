import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { addConsumers, removeConsumers, replaceConsumers } from './change.ts';
import { listConsumers } from './list.ts';

const path = '/api/v2/workspaces/:workspace_id/relationships/remote-state-consumers';

/** Workspaces that may read the state of another one (specification 002, section 4.7). */
export const consumerRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  { method: 'GET', path, summary: 'Readers of a state', run: (call) => listConsumers(parts, call) },
  { method: 'POST', path, summary: 'Add readers of a state', run: (call) => addConsumers(parts, call) },
  { method: 'PATCH', path, summary: 'Replace the readers of a state', run: (call) => replaceConsumers(parts, call) },
  { method: 'DELETE', path, summary: 'Remove readers of a state', run: (call) => removeConsumers(parts, call) },
];
