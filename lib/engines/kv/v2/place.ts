import type { RequestContext } from '../../../path/row.ts';
import { type SecretLocation, secretPath } from '../shared/secret-path.ts';

/** @throws AppError `bad-request` for a path that cannot be stored */
export const locationOf = (context: RequestContext, given: string): SecretLocation => ({
  mountId: context.mount.id,
  path: secretPath(given),
});

/** The same for a row's existence check, which sees the whole path below the mount. */
export const locationBelow = (context: RequestContext, folder: string): SecretLocation =>
  locationOf(context, context.path.slice(folder.length));
