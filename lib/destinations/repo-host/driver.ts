import { DestinationFailure, type Driver, type OpenDriver, type PutItem } from '../contract.ts';
import { failing } from '../frame/attempt.ts';
import { newWriteTracker, tracked, type WriteTracker } from '../frame/write-tracker.ts';
import { openClient } from './client.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { type Location, locate } from './location.ts';
import { canBeOurs } from './ownership.ts';
import { fetchPublicKey } from './public-key.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { openWriter } from './writer.ts';

/**
 * Secrets of one location. The host gives no value back and keeps no mark: `create` goes by the time a secret was made, and
 * a secret's version is the time of its last change (see versions.ts). There is no conditional put, so a secret that somebody else makes
 * between our look and our put is overwritten.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context): Driver => {
  const client = openClient(connection, context);
  const location = locate(connection);
  const secrets = openSecrets(client, location);
  const write = openWriter(connection, location, client, context.clock);

  async function put(item: PutItem, tracker: WriteTracker, signal: AbortSignal) {
    mustFit(item);
    if (item.claim === 'create') await mustNotBeForeign(secrets, location, item, signal);
    return { remoteVersion: await write(item, tracker, signal) };
  }

  /**
   * A location that is gone has no secrets, so removing from it is done. The host gives the same 404 for one that it hides
   * from these credentials; the log keeps the doubt.
   */
  async function remove(name: string, signal: AbortSignal): Promise<void> {
    if (await secrets.remove(name, signal)) return;
    if (await locationExists(signal)) return;
    context.log.warn({ name, location: location.text }, 'nothing to remove: the location is gone, or hidden from us');
  }

  async function locationExists(signal: AbortSignal): Promise<boolean> {
    try {
      await fetchPublicKey(client, location, signal);
      return true;
    } catch (error) {
      if (isKind(error, 'missing')) return false;
      throw error;
    }
  }

  async function inspect(name: string, signal: AbortSignal) {
    const record = await secrets.read(name, signal).catch(unknownIfForbidden);
    if (record === 'unknown') return record;
    if (record !== undefined) return { remoteVersion: record.updatedAt, mark: null };
    // The host also answers 404 when the location is missing: then this says so.
    await fetchPublicKey(client, location, signal);
    return undefined;
  }

  return {
    put: (item, signal) => {
      const tracker = newWriteTracker();
      return tracked(tracker, () => failing(`write secret ${item.name}`, signal, () => put(item, tracker, signal)));
    },
    remove: ({ name }, signal) => failing(`remove secret ${name}`, signal, () => remove(name, signal)),
    inspect: (name, signal) => failing(`look at secret ${name}`, signal, () => inspect(name, signal)),
    close: () => client.close(),
  };
};

function mustFit({ name, value }: PutItem): void {
  const reason = definition.names.refuse(name);
  if (reason !== undefined) throw new DestinationFailure('name', `cannot write secret ${name}: ${reason}`);
  if (value.bytes <= definition.valueBytesMax) return;
  const size = `the value has ${value.bytes} bytes, at most ${definition.valueBytesMax} are allowed`;
  throw new DestinationFailure('too-large', `cannot write secret ${name}: ${size}`);
}

async function mustNotBeForeign(
  secrets: Secrets,
  location: Location,
  { name, intendedAt }: PutItem,
  signal: AbortSignal,
) {
  const record = await secrets.read(name, signal);
  if (record === undefined || canBeOurs(record, intendedAt)) return;
  const found = `secret ${name} of ${location.text} was there before and is not ours`;
  throw new DestinationFailure('conflict', `${found}: remove it there, change secret_name_template, or adopt it`);
}

function unknownIfForbidden(error: unknown): 'unknown' {
  if (isKind(error, 'permission')) return 'unknown';
  throw error;
}

const isKind = (error: unknown, kind: DestinationFailure['kind']): boolean =>
  error instanceof DestinationFailure && error.kind === kind;
