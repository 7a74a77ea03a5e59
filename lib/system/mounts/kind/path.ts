import { badField } from '#core/errors.ts';

/** Auth methods are mounted below this path. */
export const authPath = 'auth/';
export const isAuthPath = (path: string): boolean => path.startsWith(authPath);

/** Paths below these belong to the service. */
const reserved = [authPath, 'sys/', 'audit/', 'cubbyhole/', 'identity/'];
/** Longer paths do not fit into the external names that contain them. */
const lengthMax = 255;

/** The stored path of a mount: no leading slash and one trailing slash. */
export const mountPath = (given: string): string => `${given.replace(/^\/+|\/+$/g, '')}/`;

/**
 * Returns the path of a new mount.
 *
 * @throws AppError `bad-request` for a path that is reserved or that no request can reach
 */
export function newMountPath(given: string, field: 'path' | 'to' = 'path'): string {
  const path = mountPath(given);
  if (path === '/') throw badField(field, 'backend path must be specified');
  if (reserved.some((own) => path.startsWith(own))) throw badField(field, `cannot mount ${JSON.stringify(path)}`);
  const unreachable = path
    .slice(0, -1)
    .split('/')
    .some((segment) => !isSegment(segment));
  if (unreachable || path.length > lengthMax) {
    throw badField(
      field,
      `cannot mount ${JSON.stringify(path)}: a path may have at most ${lengthMax} printable characters, no spaces at the ends of a segment, and no empty, "." or ".." segment`,
    );
  }
  return path;
}

const isSegment = (segment: string): boolean =>
  segment !== '' && segment !== '.' && segment !== '..' && segment === segment.trim() && !/[\p{C}?#*+]/u.test(segment);

/** @throws AppError `bad-request` for a built-in mount */
export function removablePath(given: string, field: 'path' | 'from' = 'path'): string {
  const path = mountPath(given);
  if (reserved.some((own) => path.startsWith(own))) throw badField(field, `cannot unmount ${JSON.stringify(path)}`);
  return path;
}
