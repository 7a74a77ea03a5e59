import type { RequestContext } from '../../../path/row.ts';
import { type SecretPlace, secretPath } from '../shared/secret-path.ts';

/** @throws AppError `bad-request` for a path that cannot be stored */
export const placeOf = (context: RequestContext, given: string): SecretPlace => ({
  mountId: context.mount.id,
  path: secretPath(given),
});

/** The same for a row's existence check, which sees the whole path below the mount. */
export const placeBelow = (context: RequestContext, folder: string): SecretPlace =>
  placeOf(context, context.path.slice(folder.length));
