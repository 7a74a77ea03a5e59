import type { Clock } from '../../core/clock.ts';
import { DestinationFailure, type PutItem } from '../contract.ts';
import { cached } from '../frame/cached.ts';
import type { WriteTracker } from '../frame/write-tracker.ts';
import { type Access, accessFreshMs, fetchAccess } from './access.ts';
import type { Client } from './client.ts';
import type { Call } from './exchange.ts';
import { isSigned, refusal } from './failure.ts';
import type { Connection } from './fields.ts';
import type { Location } from './location.ts';
import { fetchPublicKey, type PublicKey, seal } from './public-key.ts';
import { openSecrets } from './secrets.ts';
import { isSameVersion, versionAt } from './versions.ts';

type Written = Pick<PutItem, 'name' | 'value' | 'remoteVersion'>;

/** Gives a secret its value, whoever made it, and answers its version. `tracker` follows what the calls change. */
export type Write = (item: Written, tracker: WriteTracker, signal: AbortSignal) => Promise<string | null>;

/** What a put needs to know of the location beside the value. Kept between puts. */
interface Setting {
  readonly key: PublicKey;
  readonly access: Access;
}

/**
 * The host says with 422 (or 404) that a key has been replaced, in words that it does not document, and answers a deleted
 * repository's id in the same way. So after such an answer the setting is read anew, and if it is another one now the put is
 * sent once more.
 */
export function openWriter(connection: Connection, location: Location, client: Client, clock: Clock): Write {
  const secrets = openSecrets(client, location);
  const settings = cached(fetchSetting, ({ fetchedAt }) => clock.now().getTime() - fetchedAt < accessFreshMs);

  async function fetchSetting() {
    const access = await fetchAccess(client, connection, client.closing);
    const key = await fetchPublicKey(client, location, client.closing);
    return { access, key, fetchedAt: clock.now().getTime() };
  }

  async function callOf({ name, value }: Parameters<Write>[0], { key, access }: Setting): Promise<Call> {
    const { route, rights, text } = location;
    const sealed = { encrypted_value: await seal(value, key), key_id: key.id };
    const parameters = { ...location.parameters, secret_name: name, ...sealed, ...access };
    return { route: `PUT ${route}/{secret_name}`, parameters, action: `write secret ${name} of ${text}`, rights };
  }

  /** 201: created, 204: updated. Neither says more. Answers the version. */
  async function mustBeDone(call: Call, { name, remoteVersion }: Written, signal: AbortSignal): Promise<string | null> {
    const answer = await client.call(call, signal);
    const isSilent = answer.data === undefined || answer.data === '' || isEmpty(answer.data);
    if (![201, 204].includes(answer.status) || !isSilent) throw refusal(answer, call);
    if (isSigned(answer)) return versionAt(answer);
    const updatedAt = (await secrets.read(name, signal))?.updatedAt;
    const isOld = remoteVersion !== null && updatedAt !== undefined && isSameVersion(remoteVersion, updatedAt);
    if (updatedAt === undefined || isOld) throw refusal(answer, call);
    return updatedAt;
  }

  return async (item, tracker, signal) => {
    const setting = await settings.get(signal);
    const send = async (one: Setting) => {
      const call = await callOf(item, one);
      return tracker.write(() => mustBeDone(call, item, signal));
    };
    try {
      return await send(setting);
    } catch (failure) {
      if (!mayBeStale(failure)) throw failure;
      settings.drop(setting);
      const renewed = await settings.get(signal);
      if (sameSetting(setting, renewed)) throw failure;
      return await send(renewed);
    }
  };
}

const isEmpty = (data: unknown): boolean =>
  data === null || (typeof data === 'object' && Object.keys(data).length === 0);

const mayBeStale = (error: unknown): boolean =>
  error instanceof DestinationFailure && (error.kind === 'invalid' || error.kind === 'missing');

const sameSetting = (left: Setting, right: Setting): boolean =>
  left.key.id === right.key.id && JSON.stringify(left.access) === JSON.stringify(right.access);
