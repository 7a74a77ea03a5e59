import type { Client } from '#client/client.ts';
import { system } from '#client/operations/system.ts';
import { textOf } from '#client/wire/json.ts';
import { CommandFailure } from '../../failure.ts';

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
  const { data } = await client.call(system.mountOf, { path: whole });
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

/** Engines of version 1 have no versions. @throws CommandFailure */
export async function versionedPlace(client: Client, given: string): Promise<Place> {
  const place = await placeOf(client, given);
  if (place.version === 2) return place;
  throw new CommandFailure(
    'failed',
    `${place.mount}/ is a KV mount of version 1, which has no versions`,
    'keyferry kv --help',
  );
}
