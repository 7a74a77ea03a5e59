import { roleRows } from '../../token/roles/rows.ts';
import { storeRows } from '../../token/rows/accessors.ts';
import { createRows } from '../../token/rows/create.ts';
import { rowPartsOf } from '../../token/rows/given.ts';
import { lookupRows } from '../../token/rows/lookup.ts';
import { renewRows } from '../../token/rows/renew.ts';
import { revokeRows } from '../../token/rows/revoke.ts';
import { sessionRows } from '../../token/rows/session.ts';
import type { AuthMethod } from '../contract.ts';

/** The method at `auth/token/`. It has no login: its tokens are made with other tokens. */
export const tokenMethod: AuthMethod = {
  type: 'token',
  fixed: true,
  open(parts) {
    const rowParts = rowPartsOf(parts);
    return {
      always: { path: 'auth/token/', description: 'token based credentials' },
      rows: [
        ...createRows(rowParts),
        ...sessionRows(rowParts),
        ...lookupRows(rowParts),
        ...renewRows(rowParts),
        ...revokeRows(rowParts),
        ...roleRows(rowParts),
        ...storeRows(rowParts),
      ],
    };
  },
};
