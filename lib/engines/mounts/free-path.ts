import { badRequest } from '../../core/errors.ts';

/**
 * No mount may lie in another one: the paths of the outer one would lead to the inner one.
 *
 * @throws AppError `bad-request` that names the mount in the way
 */
export function mustBeFree(path: string, taken: readonly string[]): void {
  if (taken.includes(path)) throw badRequest(`path is already in use at ${path}`);
  const inTheWay = taken.find((other) => path.startsWith(other) || other.startsWith(path));
  if (inTheWay !== undefined) throw badRequest(`existing mount at ${inTheWay}`);
}
