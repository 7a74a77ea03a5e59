import { badField } from '#core/errors.ts';
import type { Log } from '#core/log/log.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Store } from '#store/store.ts';
import type { Identity } from '../../login/contract.ts';
import type { ReadRoleAndConfig } from '../../login/kept/roles.ts';
import { boundsOf } from '../../login/role/bounds.ts';
import { boundProblem } from './bound.ts';
import { found } from './found.ts';
import { identityOf, personOf } from './identity.ts';
import type { Keys } from './verify/keys.ts';
import { verifiedClaims } from './verify/token.ts';

export interface LoginParts {
  readonly store: Store;
  readonly read: ReadRoleAndConfig;
  readonly keys: Keys;
  readonly log: Log;
  readonly now: () => Date;
}

/**
 * The identity that a token proves.
 *
 * @throws AppError `bad-request`, `permission-denied`; `upstream` when the keys cannot be read
 */
export async function identify(
  parts: LoginParts,
  { role: asked, jwt }: { readonly role: string; readonly jwt: string },
  context: RequestContext,
): Promise<Identity> {
  const { name, role, config } = await found(parts, context.mount.id, asked);
  if (role.role_type === 'oidc') throw badField('role', 'role with oidc role_type is not allowed');
  if (jwt === '') throw badField('jwt', 'missing token');
  const bounds = boundsOf(role.token, context);
  const claims = await verifiedClaims(parts, { jwt, config, leeways: role, mountPath: context.mount.path });
  if (typeof claims === 'string') throw badField('jwt', `error validating token: ${claims}`);
  const unbound = boundProblem(claims, role);
  if (unbound !== undefined) throw badField('jwt', `error validating claims: ${unbound}`);
  return identityOf(personOf(claims, role, ['jwt']), { name, role, bounds });
}
