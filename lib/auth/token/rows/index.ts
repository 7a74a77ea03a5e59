import type { AuthMethod } from '../../methods/contract.ts';
import { tokenFinder } from '../find.ts';
import { roleRows } from '../roles/rows.ts';
import { storeRows } from './accessors.ts';
import { createRows } from './create.ts';
import { lookupRows } from './lookup.ts';
import { renewRows } from './renew.ts';
import { revokeRows } from './revoke.ts';

/** The method at `auth/token/`. */
export const tokenMethod: AuthMethod = {
  type: 'token',
  fixed: true,
  open(parts) {
    const rowParts = { ...parts, find: tokenFinder(parts.store) };
    return {
      always: { path: 'auth/token/', description: 'token based credentials' },
      rows: [
        ...createRows(rowParts),
        ...lookupRows(rowParts),
        ...renewRows(rowParts),
        ...revokeRows(rowParts),
        ...roleRows(rowParts),
        ...storeRows(rowParts),
      ],
    };
  },
};
