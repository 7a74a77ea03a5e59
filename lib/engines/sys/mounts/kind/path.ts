import { badRequest } from '../../../../core/errors.ts';

/** Auth methods are mounted below it. */
export const authPath = 'auth/';
export const isAuthPath = (path: string): boolean => path.startsWith(authPath);

/** What is below these is the service's own. */
const reserved = [authPath, 'sys/', 'audit/', 'cubbyhole/', 'identity/'];
/** Longer ones do not fit in names that are made of them. */
const lengthMax = 255;

/** A mount's path as it is stored: no slash in front, one at its end. */
export const mountPath = (given: string): string => `${given.replace(/^\/+|\/+$/g, '')}/`;

/**
 * A path for a new mount.
 *
 * @throws AppError `bad-request` for a path that is reserved or cannot be reached by a request
 */
export function newMountPath(given: string): string {
  const path = mountPath(given);
  if (path === '/') throw badRequest('backend path must be specified');
  if (reserved.some((own) => path.startsWith(own))) throw badRequest(`cannot mount ${JSON.stringify(path)}`);
  const unreachable = path
    .slice(0, -1)
    .split('/')
    .some((segment) => !isSegment(segment));
  if (unreachable || path.length > lengthMax) {
    throw badRequest(
      `cannot mount ${JSON.stringify(path)}: a path has at most ${lengthMax} printable characters, no spaces at the ends of a segment, and no empty, "." or ".." segment`,
    );
  }
  return path;
}

const isSegment = (segment: string): boolean =>
  segment !== '' && segment !== '.' && segment !== '..' && segment === segment.trim() && !/[\p{C}?#*+]/u.test(segment);

/** @throws AppError `bad-request` for a mount that is always there */
export function removablePath(given: string): string {
  const path = mountPath(given);
  if (reserved.some((own) => path.startsWith(own))) throw badRequest(`cannot unmount ${JSON.stringify(path)}`);
  return path;
}
