import { AppError, invalidToken } from '../../core/errors.ts';
import type { RequestContext } from '../../path/contract/request.ts';

/**
 * For what any token may ask, whatever its policies say. Says of a token that it is none, so that nobody looks for the mistake
 * in his policies.
 *
 * @throws AppError `permission-denied`
 */
export function mustHaveToken({ caller, tokenSent }: RequestContext): void {
  if (caller !== undefined) return;
  throw tokenSent ? invalidToken() : new AppError('permission-denied', 'permission denied');
}
