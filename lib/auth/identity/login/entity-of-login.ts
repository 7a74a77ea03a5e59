import { badField, permissionDenied } from '#core/errors.ts';
import { uuid } from '#core/ids.ts';
import { isStorable } from '#core/json/unstorable.ts';
import type { Store } from '#store/store.ts';
import type { EntityOfLogin, LoginEntity, LoginOf } from '../../token/identities.ts';
import { nameKey, storable } from '../names.ts';
import { aliasFinder, type FoundAlias, makeEntity } from './alias.ts';
import { refresh } from './refresh.ts';

const roundsMax = 5;
const aliasCharactersMax = 512;

/**
 * Finds the entity of a login by its alias, or creates it, and stores the metadata and groups of the login. Concurrent logins
 * with one alias create one entity. A login without changes costs one look-up, which concurrent logins share.
 *
 * @throws AppError `permission-denied` when the entity is disabled, `bad-request` when the alias cannot be stored
 */
export function entityOfLogin(store: Store): EntityOfLogin {
  const find = aliasFinder(store);
  return async (asked) => {
    mustBeStorable(asked);
    const groups = asked.groups?.filter(isStorable);
    const login = { ...asked, metadata: asked.metadata && storable(asked.metadata), groups };
    for (let round = 1; round <= roundsMax; round += 1) {
      const found = await find(login);
      const state = found === undefined ? await create(store, login) : await update(store, found, login);
      // Undefined when another login created or removed the alias in between.
      if (state !== undefined) return state;
    }
    throw permissionDenied();
  };
}

/** Look-ups share a statement, so a text that cannot be stored would make the others fail. */
function mustBeStorable({ alias, aliasFields = [] }: LoginOf): void {
  if (alias.length > aliasCharactersMax)
    throw badField(aliasFields, `an alias has at most ${aliasCharactersMax} characters`);
  if (!isStorable(alias)) throw badField(aliasFields, 'an alias contains a character that cannot be stored');
}

async function create(store: Store, login: LoginOf): Promise<LoginEntity | undefined> {
  const id = uuid();
  const state = await makeEntity(store, { id, aliasId: uuid(), key: nameKey(login.alias), login });
  if (state === undefined) return undefined;
  if (login.groups === undefined || login.groups.length === 0) return { entityId: id, entityState: state };
  return refresh(store, id, login);
}

async function update(store: Store, found: FoundAlias, login: LoginOf): Promise<LoginEntity | undefined> {
  if (found.entity_state === null) throw permissionDenied();
  const isUnchanged = login.metadata === undefined || isSame(found.metadata, login.metadata);
  if (isUnchanged && !found.groups_differ) {
    return { entityId: found.entity_id, entityState: found.entity_state, mayBeHeld: found.enforced };
  }
  return refresh(store, found.entity_id, login);
}

function isSame(some: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}
