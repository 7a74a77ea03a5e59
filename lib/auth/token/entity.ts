import { badRequest } from '../../core/errors.ts';
import { matchesGlob } from './glob.ts';
import type { TokenRole } from './roles/role.ts';

/**
 * The entity of the alias that a token was asked for with; undefined: none was named, so the parent's counts. There are no
 * entities yet, so the alias is checked and stands for none: what makes entities of aliases belongs here.
 *
 * @throws AppError `bad-request` when the role does not allow the alias
 */
export function entityOfAlias(alias: string, role: TokenRole | undefined): string | undefined {
  if (alias === '') return undefined;
  if (role === undefined) throw badRequest("'entity_alias' is only allowed in combination with token role");
  const name = alias.toLowerCase();
  const isAllowed = role.allowed_entity_aliases.some((glob) => matchesGlob(glob.toLowerCase(), name));
  if (!isAllowed) throw badRequest("invalid 'entity_alias' value");
  return '';
}
