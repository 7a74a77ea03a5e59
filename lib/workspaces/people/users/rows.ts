import type { ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { showAccount, showUser, updateAccount } from './account.ts';
import { adminRows } from './admin/rows.ts';

/** Users, and the account of the caller (reference, workspaces 2). */
export const userRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: '/api/v2/account/details',
    summary: 'Who the caller is',
    run: (call) => showAccount(parts, call),
  },
  {
    method: 'PATCH',
    path: '/api/v2/account/update',
    summary: 'Change the name and the address of the caller',
    run: (call) => updateAccount(parts, call),
  },
  { method: 'GET', path: '/api/v2/users/:user_id', summary: 'A user', run: (call) => showUser(parts, call) },
  ...adminRows(parts),
];
