import { badRequest } from '../../core/errors.ts';

const charactersMax = 256;

/** The path of a device with a slash at its end. @throws AppError `bad-request` */
export function devicePath(given: string): string {
  const path = given.replace(/^\/+|\/+$/g, '');
  if (path === '') throw badRequest('the path of the device is missing');
  if (path.length > charactersMax) throw badRequest(`the path of a device has at most ${charactersMax} characters`);
  return `${path}/`;
}
