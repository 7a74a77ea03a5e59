import type { Clock } from '#core/clock.ts';
import { DestinationFailure, type PutItem, type PutReceipt } from '../../contract.ts';
import { cached } from '../../frame/cached.ts';
import { foreignObject } from '../../frame/rules/found.ts';
import type { WriteTracker } from '../../frame/verb/verb.ts';
import { type Access, accessFreshMs, fetchAccess } from '../client/access.ts';
import type { Client } from '../client/client.ts';
import { fetchPublicKey, type PublicKey, seal } from '../client/public-key.ts';
import type { Call } from '../exchange.ts';
import { isSigned, refusal } from '../failure.ts';
import type { Connection } from '../fields/fields.ts';
import type { Location } from '../fields/location.ts';
import { callOn, look, type SecretRecord } from '../look.ts';
import { isSameVersion, versionAt } from './versions.ts';

/** `tracker` follows what the calls change. */
export type Put = (item: PutItem, tracker: WriteTracker, signal: AbortSignal) => Promise<PutReceipt>;

/** What a put needs to know about the location. Cached between puts. */
interface Setting {
  readonly key: PublicKey;
  readonly access: Access;
}

/** Gives a secret its value. A create first checks whether an existing secret is ours; the host has no conditional put. */
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

/** Sends a put and resolves to the version. 201 means created, 204 updated; both have no content. */
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
 * The host answers 422 (or 404) when a key has been replaced, with undocumented texts, and also for the id of a deleted repository.
 * So after such an answer the setting is read again, and if it has changed the put is sent once more.
 */
const mayBeStale = (error: unknown): boolean =>
  error instanceof DestinationFailure && (error.kind === 'invalid' || error.kind === 'missing');

const sameSetting = (left: Setting, right: Setting): boolean =>
  left.key.id === right.key.id && JSON.stringify(left.access) === JSON.stringify(right.access);

/**
 * The host rounds `created_at` and its Date header down to seconds, and its machines' clocks differ slightly. The price is that a
 * foreign secret created less than this before our intent is taken for ours. Our own secret is never taken for foreign.
 */
const toleranceMs = 5_000;

/**
 * Whether an existing secret can be ours. The host stores no mark, so time decides: ours was created at or after the moment of our
 * intent, both on the host's clock.
 */
export function canBeOurs({ createdAt, clockAheadMs }: SecretRecord, intendedAt: Date): boolean {
  return createdAt.getTime() >= intendedAt.getTime() + clockAheadMs - toleranceMs;
}
