import type { AuthMethod } from '../contract.ts';

/** Roles of machines. */
export const approle: AuthMethod = {
  type: 'approle',
  open: () => ({ rows: [] }),
};
