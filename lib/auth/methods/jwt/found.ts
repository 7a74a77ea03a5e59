import { badField, badRequest } from '#core/errors.ts';
import type { Store } from '#store/store.ts';
import { readConfig } from '../../login/kept/config.ts';
import { findRole, type ReadRoleAndConfig } from '../../login/kept/roles.ts';
import { type JwtConfig, storedConfig } from './config.ts';
import { type JwtRole, storedRole } from './role.ts';

/** The role of a login and the configuration of its mount. */
export interface Found {
  readonly name: string;
  readonly role: JwtRole;
  readonly config: JwtConfig;
}

interface FindParts {
  readonly store: Store;
  readonly read: ReadRoleAndConfig;
}

/** The role that a login names, or the default role. @throws AppError `bad-request` */
export async function found({ store, read }: FindParts, mountId: string, given: string): Promise<Found> {
  const asked = given.toLowerCase();
  const both =
    asked === '' ? await byDefault(store, mountId) : { name: asked, ...(await read({ mountId, name: asked })) };
  if (both.config === undefined) throw badRequest('could not load configuration');
  if (both.name === '') throw badField('role', 'missing role');
  if (both.role === undefined) throw badField('role', `role ${JSON.stringify(both.name)} could not be found`);
  return { name: both.name, role: storedRole(both.role), config: storedConfig(both.config) };
}

async function byDefault(store: Store, mountId: string) {
  const config = await readConfig(store, mountId);
  const name = defaultRoleOf(config);
  return { name, config, role: name === '' ? undefined : await findRole(store, mountId, name) };
}

const defaultRoleOf = (config: object | undefined): string =>
  config === undefined ? '' : storedConfig(config).default_role.toLowerCase();

/** The default role of a mount. Undefined when it has none. */
export async function defaultRole(store: Store, mountId: string): Promise<string | undefined> {
  return defaultRoleOf(await readConfig(store, mountId)) || undefined;
}
