import { document } from '#path/jsonapi/input.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { showAccount, showUser, updateAccount } from './account.ts';
import { accountFields } from './fields.ts';

/** Users, and the account of the caller. */
export const userRows = ({ store }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/account/details',
    summary: 'Read the account of the caller',
    needs: { caller: 'any' },
    replies: { 200: 'users' },
    run: ({ caller }) => showAccount(store, caller),
  }),
  operation({
    method: 'PATCH',
    path: '/api/v2/account/update',
    summary: 'Update the name and the email address of the caller',
    needs: { caller: 'user' },
    body: document({ type: 'users', attributes: accountFields }),
    replies: { 200: 'users' },
    run: ({ caller, body }) => updateAccount(store, caller, body.attributes),
  }),
  operation({
    method: 'GET',
    path: '/api/v2/users/:user_id',
    summary: 'Read a user',
    needs: { user: 'read' },
    replies: { 200: 'users' },
    run: ({ caller, found }) => showUser(store, caller, found.id),
  }),
];
