import type { RequestContext } from '../../path/row.ts';
import { secretPath } from '../secret-path.ts';

/** Which secret. */
export interface SecretPlace {
  readonly mountId: string;
  readonly path: string;
}

/** @throws AppError `bad-request` for a path that cannot be stored */
export const placeOf = (context: RequestContext, given: string): SecretPlace => ({
  mountId: context.mount.id,
  path: secretPath(given),
});

/** The same for a row's existence check, which sees the whole path below the mount. */
export const placeBelow = (context: RequestContext, folder: string): SecretPlace =>
  placeOf(context, context.path.slice(folder.length));
