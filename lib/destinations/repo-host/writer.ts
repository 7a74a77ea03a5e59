import type { Clock } from '../../core/clock.ts';
import type { PutItem } from '../contract.ts';
import { type Access, accessFreshMs, fetchAccess } from './access.ts';
import { cached } from './cached.ts';
import type { Client } from './client.ts';
import type { Answer } from './exchange.ts';
import { refusal } from './failure.ts';
import type { Connection } from './fields.ts';
import type { Location } from './location.ts';
import { fetchPublicKey, type PublicKey, seal } from './public-key.ts';

/** Gives a secret its value, whoever made it. */
export type Write = (item: Pick<PutItem, 'name' | 'value'>, signal: AbortSignal) => Promise<void>;

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
  const settings = cached(fetchSetting, ({ fetchedAt }) => clock.now().getTime() - fetchedAt < accessFreshMs);

  async function fetchSetting() {
    const access = await fetchAccess(client, connection, client.closing);
    const key = await fetchPublicKey(client, location, client.closing);
    return { access, key, fetchedAt: clock.now().getTime() };
  }

  async function send({ name, value }: Parameters<Write>[0], { key, access }: Setting, signal: AbortSignal) {
    const action = `write secret ${name} of ${location.text}`;
    const sealed = { encrypted_value: await seal(value, key), key_id: key.id };
    const parameters = { ...location.parameters, secret_name: name, ...sealed, ...access };
    const answer = await client.call({ route: `PUT ${location.route}/{secret_name}`, parameters, action }, signal);
    return isDone(answer) ? undefined : refusal(answer, action);
  }

  return async (item, signal) => {
    const setting = await settings.get(signal);
    const failure = await send(item, setting, signal);
    if (failure === undefined) return;
    if (failure.kind !== 'invalid' && failure.kind !== 'missing') throw failure;
    settings.drop(setting);
    const renewed = await settings.get(signal);
    const again = sameSetting(setting, renewed) ? failure : await send(item, renewed, signal);
    if (again !== undefined) throw again;
  };
}

/** 201: created, 204: updated. */
const isDone = ({ status }: Answer) => status === 201 || status === 204;

const sameSetting = (left: Setting, right: Setting): boolean =>
  left.key.id === right.key.id && JSON.stringify(left.access) === JSON.stringify(right.access);
