import { askedText } from '../../login/role/asked.ts';
import type { AuthMethod } from '../contract.ts';
import { loginRow } from './login.ts';
import { roleRows } from './roles.ts';
import { findRole, nameOfRoleId } from './roles-store.ts';
import { secretIdRows } from './secret-id-rows.ts';
import { dropExpired, removeSecretIds } from './secret-ids-store.ts';
import { settingRows } from './settings-rows.ts';
import { tidyRow } from './tidy.ts';

/** Machines log in to a role with a role id and a secret id. */
export const approle: AuthMethod = {
  type: 'approle',
  removeSecrets: removeSecretIds,
  expire: (store, limit) => dropExpired(store, limit),
  settingsOf: async ({ db }, mountId, { role_name: name = '' }) => (await findRole(db, { mountId, name }))?.settings,
  open: (parts) => ({
    rows: [...roleRows(parts), ...settingRows(parts), ...secretIdRows(parts), tidyRow(parts), loginRow(parts)],
    loginRole: (data, { id }) => nameOfRoleId(parts.store.db, id, askedText(data, 'role_id')),
  }),
};
