import type { AuthMethod } from '../contract.ts';
import { loginRow } from './login.ts';
import { userRows } from './users.ts';

/** Users with passwords. */
export const userpass: AuthMethod = {
  type: 'userpass',
  open: (parts) => ({ rows: [...userRows(parts), loginRow(parts)] }),
};
