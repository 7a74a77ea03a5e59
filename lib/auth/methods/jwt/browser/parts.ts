import type { ReadRoleAndConfig } from '#auth/login/kept/roles.ts';
import type { Store } from '#store/store.ts';
import type { PersonParts } from './provider/person.ts';

/** What logins by browser are made of. */
export interface BrowserParts extends PersonParts {
  readonly store: Store;
  readonly read: ReadRoleAndConfig;
}
