import type { Client } from '#client/client.ts';
import { system } from '#client/operations/system.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { textOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';
import type { Given } from '../../verb.ts';

/** Where a secret is. */
export interface Place {
  readonly mount: string;
  /** Below the mount; empty for the mount itself. */
  readonly path: string;
  readonly version: 1 | 2;
}

/** The mount of a path such as `secret/team/app`. @throws CommandFailure when no KV engine is there */
export async function placeOf(client: Client, given: string): Promise<Place> {
  const whole = given.replace(/^\/+|\/+$/g, '');
  const { data } = await client.call(system.mountOf, { path: whole }).catch((error: unknown) => {
    throw isUnknown(error) ? unknown(whole) : error;
  });
  const mount = textOf(data, 'path');
  if (textOf(data, 'type') !== 'kv')
    throw new CommandFailure('failed', `${mount} is not a KV mount`, 'keyferry api GET sys/mounts');
  const isSecond = textOf(data, 'options', 'version') === '2';
  return {
    mount: mount.replace(/\/$/, ''),
    path: `${whole}/`.slice(mount.length).replace(/\/$/, ''),
    version: isSecond ? 2 : 1,
  };
}

/** The server does not tell a mount that is not there from one that the token may not see. */
const isUnknown = (error: unknown): boolean =>
  error instanceof CallFailure && error.status === 403 && !error.isTokenInvalid;

const unknown = (path: string) =>
  new CommandFailure(
    'token',
    `there is no mount for ${path}, or the token may see nothing of it`,
    'keyferry api GET sys/internal/ui/mounts',
  );

/** The place of one secret. @throws CommandFailure for a mount without the path of a secret */
export async function secretPlaceOf(client: Client, given: Given): Promise<Place> {
  const place = await placeOf(client, given.argument(0));
  if (place.path !== '') return place;
  throw new CommandFailure(
    'usage',
    `${place.mount}/ is a mount: name a secret in it, as in ${place.mount}/my-app`,
    `keyferry kv list ${place.mount}`,
  );
}

/** Engines of version 1 have no versions. @throws CommandFailure */
export async function versionedPlace(client: Client, given: Given): Promise<Place> {
  const place = await secretPlaceOf(client, given);
  if (place.version === 2) return place;
  throw new CommandFailure(
    'failed',
    `${place.mount}/ is a KV mount of version 1, which has no versions`,
    'keyferry kv --help',
  );
}
