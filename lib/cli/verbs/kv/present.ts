import type { Client } from '#client/client.ts';
import { kv2 } from '#client/operations/kv.ts';
import { CallFailure } from '#client/wire/failure.ts';
import { CommandFailure } from '../../failure.ts';
import { permitted } from '../../permitted.ts';
import type { Place } from './place.ts';

const isNone = (error: unknown): boolean => error instanceof CallFailure && error.status === 404;

/** The reply about a secret. @throws CommandFailure that says whether the secret or only the version is missing */
export async function present<T>(client: Client, place: Place, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isNone(error)) throw error;
    const whole = `${place.mount}/${place.path}`;
    if (await hasVersions(client, place))
      throw new CommandFailure(
        'failed',
        `${whole} has no such version, or it is deleted`,
        `keyferry kv history ${whole}`,
      );
    throw new CommandFailure('failed', `there is no secret ${whole}`, `keyferry kv list ${folderOf(whole)}`);
  }
}

/** Without the right to read its metadata it is as if there was none. */
async function hasVersions(client: Client, place: Place): Promise<boolean> {
  if (place.version === 1) return false;
  return permitted(client.call(kv2.metadata, place)).then(
    (reply) => reply !== undefined,
    (error: unknown) => {
      if (isNone(error)) return false;
      throw error;
    },
  );
}

/** The names in a folder. @throws CommandFailure when there are none */
export async function presentIn<T>({ mount, path }: Place, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (!isNone(error)) throw error;
    const next = path === '' ? 'keyferry kv put --help' : `keyferry kv list ${folderOf(`${mount}/${path}`)}`;
    throw new CommandFailure('failed', `there is nothing in ${mount}/${path}`, next);
  }
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));
