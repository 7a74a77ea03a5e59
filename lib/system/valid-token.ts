import { AppError, invalidToken } from '#core/errors.ts';
import type { RequestContext } from '#path/contract/request.ts';

/**
 * Requires a valid token, whatever its policies. An invalid token gets its own error, so that the user does not look for a mistake
 * in policies.
 *
 * @throws AppError `permission-denied`
 */
export function mustHaveToken({ caller, tokenSent }: RequestContext): void {
  if (caller !== undefined) return;
  throw tokenSent ? invalidToken() : new AppError('permission-denied', 'permission denied');
}
