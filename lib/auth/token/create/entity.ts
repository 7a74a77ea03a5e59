import { badField } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { FactsHolder } from '../../policy/store/facts.ts';
import type { EntityOfLogin } from '../identities.ts';
import { matchesGlob } from '../roles/glob.ts';
import type { TokenRole } from '../roles/role.ts';

/**
 * The entity of an alias at the mount of the token method, created if it does not exist. Undefined when the request names no alias;
 * the token then gets the entity of its parent.
 *
 * @throws AppError `bad-request` when the role does not allow the alias, `permission-denied` when the entity is disabled
 */
export async function entityOfAlias(
  entityOf: EntityOfLogin,
  alias: string,
  role: TokenRole | undefined,
  { namespace, mount }: Pick<RequestContext, 'namespace' | 'mount'>,
): Promise<FactsHolder | undefined> {
  if (alias === '') return undefined;
  if (role === undefined)
    throw badField('entity_alias', "'entity_alias' is only allowed in combination with token role");
  const name = alias.toLowerCase();
  const isAllowed = role.allowed_entity_aliases.some((glob) => matchesGlob(glob.toLowerCase(), name));
  if (!isAllowed) throw badField('entity_alias', "invalid 'entity_alias' value");
  return entityOf({ namespaceId: namespace.id, mount, alias: name, aliasFields: ['entity_alias'] });
}
