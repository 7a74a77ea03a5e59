import { badRequest, permissionDenied } from '../../../core/errors.ts';
import { uuid } from '../../../core/ids.ts';
import { isStorable } from '../../../store/postgres/storable.ts';
import type { Store } from '../../../store/store.ts';
import { nameKey, storable } from '../names.ts';
import { aliasFinder, type FoundAlias, makeEntity } from './alias.ts';
import type { EntityOfLogin, LoginEntity, LoginOf } from './contract.ts';
import { refresh } from './refresh.ts';

const roundsMax = 5;
const aliasCharactersMax = 512;

/**
 * Finds the entity of a login by its alias, or makes one, and keeps what the login says of it. Logins of one alias at the same
 * time make one entity. A login that says nothing new is one look-up, which those of the same moment share.
 *
 * @throws AppError `permission-denied` when the entity is disabled, `bad-request` when the alias cannot be stored
 */
export function entityOfLogin(store: Store): EntityOfLogin {
  const find = aliasFinder(store);
  return async (asked) => {
    mustBeStorable(asked.alias);
    const groups = asked.groups?.filter(isStorable);
    const login = { ...asked, metadata: asked.metadata && storable(asked.metadata), groups };
    for (let round = 1; round <= roundsMax; round += 1) {
      const found = await find(login);
      const state = found === undefined ? await make(store, login) : await brought(store, found, login);
      // Nothing: somebody else made or removed it at this moment.
      if (state !== undefined) return state;
    }
    throw permissionDenied();
  };
}

/** Look-ups share a statement: what one asks for must not fail the others. */
function mustBeStorable(alias: string): void {
  if (alias.length > aliasCharactersMax) throw badRequest(`an alias has at most ${aliasCharactersMax} characters`);
  if (!isStorable(alias)) throw badRequest('an alias holds a character that cannot be stored');
}

async function make(store: Store, login: LoginOf): Promise<LoginEntity | undefined> {
  const id = uuid();
  const state = await makeEntity(store, { id, aliasId: uuid(), key: nameKey(login.alias), login });
  if (state === undefined) return undefined;
  if (login.groups === undefined || login.groups.length === 0) return { entityId: id, entityState: state };
  return refresh(store, id, login);
}

async function brought(store: Store, found: FoundAlias, login: LoginOf): Promise<LoginEntity | undefined> {
  if (found.entity_state === null) throw permissionDenied();
  const same = login.metadata === undefined || isSame(found.metadata, login.metadata);
  if (same && !found.groups_differ) {
    return { entityId: found.entity_id, entityState: found.entity_state, mayBeHeld: found.enforced };
  }
  return refresh(store, found.entity_id, login);
}

function isSame(some: Readonly<Record<string, string>>, others: Readonly<Record<string, string>>): boolean {
  const names = Object.keys(some);
  return names.length === Object.keys(others).length && names.every((name) => some[name] === others[name]);
}
