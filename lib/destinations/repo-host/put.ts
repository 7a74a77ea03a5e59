import type { Clock } from '../../core/clock.ts';
import { DestinationFailure, type PutItem, type PutReceipt } from '../contract.ts';
import { cached } from '../frame/cached.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
import type { WriteTracker } from '../frame/verb/verb.ts';
import { type Access, accessFreshMs, fetchAccess } from './access.ts';
import type { Client } from './client.ts';
import type { Call } from './exchange.ts';
import { isSigned, refusal } from './failure.ts';
import type { Connection } from './fields.ts';
import type { Location } from './location.ts';
import { callOn, look, type SecretRecord } from './look.ts';
import { fetchPublicKey, type PublicKey, seal } from './public-key.ts';
import { isSameVersion, versionAt } from './versions.ts';

/** `tracker` follows what the calls change. */
export type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

/** What a put needs to know of the location beside the value. Kept between puts. */
interface Setting {
  readonly key: PublicKey;
  readonly access: Access;
}

/** Gives a secret its value. A create first looks whose secret is there; there is no put on a condition. */
export function openPut(connection: Connection, location: Location, client: Client, clock: Clock): Put {
  const settings = cached(fetchSetting, ({ fetchedAt }) => clock.now().getTime() - fetchedAt < accessFreshMs);

  async function fetchSetting() {
    const access = await fetchAccess(client, connection, client.closing);
    const key = await fetchPublicKey(client, location, client.closing);
    return { access, key, fetchedAt: clock.now().getTime() };
  }

  async function callOf({ name, value }: PutItem, { key, access }: Setting): Promise<Call> {
    const { parameters, ...call } = callOn('PUT', location, name);
    const sealed = { encrypted_value: await seal(value, key), key_id: key.id };
    return { ...call, parameters: { ...parameters, ...sealed, ...access } };
  }

  async function write(item: PutItem, tracker: WriteTracker, signal: AbortSignal): Promise<string | null> {
    const setting = await settings.get(signal);
    const send = async (one: Setting) => {
      const call = await callOf(item, one);
      return tracker.write(() => mustBeDone(client, location, call, item, signal));
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
  }

  return async (item, tracker, signal) => {
    if (item.mode === 'create') await mustNotBeForeign(client, location, item, signal);
    return { remoteVersion: await write(item, tracker, signal) };
  };
}

async function mustNotBeForeign(
  client: Client,
  location: Location,
  { name, intendedAt }: PutItem,
  signal: AbortSignal,
) {
  const record = await look(client, location, name, signal);
  if (record === undefined || canBeOurs(record, intendedAt)) return;
  throw foreignObject(`a secret of this name in ${location.text}`);
}

/** 201: created, 204: updated. Neither says more. Answers the version. */
async function mustBeDone(
  client: Client,
  location: Location,
  call: Call,
  { name, remoteVersion }: PutItem,
  signal: AbortSignal,
): Promise<string | null> {
  const answer = await client.call(call, signal);
  const isSilent = answer.data === undefined || answer.data === '' || isEmpty(answer.data);
  if (![201, 204].includes(answer.status) || !isSilent) throw refusal(answer, call);
  if (isSigned(answer)) return versionAt(answer);
  const updatedAt = (await look(client, location, name, signal))?.updatedAt;
  const isOld = remoteVersion !== null && updatedAt !== undefined && isSameVersion(remoteVersion, updatedAt);
  if (updatedAt === undefined || isOld) throw refusal(answer, call);
  return updatedAt;
}

const isEmpty = (data: unknown): boolean =>
  data === null || (typeof data === 'object' && Object.keys(data).length === 0);

/**
 * The host says with 422 (or 404) that a key has been replaced, in words that it does not document, and answers a deleted
 * repository's id in the same way. So after such an answer the setting is read anew, and if it is another one now the put is
 * sent once more.
 */
const mayBeStale = (error: unknown): boolean =>
  error instanceof DestinationFailure && (error.kind === 'invalid' || error.kind === 'missing');

const sameSetting = (left: Setting, right: Setting): boolean =>
  left.key.id === right.key.id && JSON.stringify(left.access) === JSON.stringify(right.access);

/**
 * The host cuts `created_at` and its Date header down to seconds, and its machines' clocks differ a little. The price: a
 * foreign secret made less than this before our intent passes for ours. One that we made never passes for foreign.
 */
const toleranceMs = 5_000;

/**
 * Whether a secret that is already there can be ours. The host keeps no mark and no value of it, so time decides: it was
 * made at or after the moment we intended to make it, both on the host's clock.
 */
export function canBeOurs({ createdAt, clockAheadMs }: SecretRecord, intendedAt: Date): boolean {
  return createdAt.getTime() >= intendedAt.getTime() + clockAheadMs - toleranceMs;
}
