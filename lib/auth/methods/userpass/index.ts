import type { AuthMethod } from '../contract.ts';
import { loginRow } from './login.ts';
import { findUser } from './store.ts';
import { userRows } from './users.ts';

/** Users log in with a name and a password. */
export const userpass: AuthMethod = {
  type: 'userpass',
  settingsOf: async (store, mountId, { username: name = '' }) => (await findUser(store, { mountId, name }))?.settings,
  open: (parts) => ({ rows: [...userRows(parts), loginRow(parts)] }),
};
