import { DestinationFailure, type Driver, type OpenDriver, type PutItem } from '../contract.ts';
import { attempt } from '../frame/attempt.ts';
import { newWriteTracker, tracked } from '../frame/write-tracker.ts';
import { openClient } from './client.ts';
import { explain } from './failure.ts';
import type { Connection, fields } from './fields.ts';
import { definition } from './index.ts';
import { look, refuseForeign } from './look.ts';
import { destroyOlder } from './old-versions.ts';
import { remove } from './remove.ts';
import { keyedReplication, rekeyed, replicationOf } from './replication.ts';
import { type FoundSecret, type Labels, type SecretChange, type Secrets, secretsOf } from './secrets.ts';

/** How often a put begins anew because others changed the secret in between. */
const roundsMax = 3;

/**
 * Secrets in one project.
 *
 * - A put makes sure that the secret is there with its labels and then adds a version. If it ends in between, the next one
 *   completes it: the mark is among the labels. Where the record leaves no doubt the version goes first, and its number tells
 *   whether anybody else was there: versions are counted one by one.
 * - A repeated put whose answer was lost adds a second version of the same value: the service knows no request ids.
 * - Labels that others put on the secret stay.
 * - A removed secret is gone at once with all its versions; one that does not carry our mark stays.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const verb = <T>(signal: AbortSignal, what: string, run: (secrets: Secrets) => Promise<T>) => {
    const tracker = newWriteTracker(kindOf);
    return tracked(tracker, () => attempt(signal, what, () => run(secretsOf(client, signal, tracker)), explain));
  };

  const driver: Driver = {
    put: (item, signal) =>
      verb(signal, `setting secret ${item.name}`, async (secrets) => {
        refuseItem(item);
        const remoteVersion = await put(secrets, item, connection);
        if (connection.destroy_old_versions) await destroyOlder(secrets, item.name, remoteVersion, context.log);
        return { remoteVersion };
      }),
    remove: (item, signal) =>
      verb(signal, `removing secret ${item.name}`, (secrets) => remove(secrets, item, context.log)),
    inspect: (name, signal) => verb(signal, `inspecting secret ${name}`, (secrets) => look(secrets, name)),
    close: () => client.close(),
  };
  return driver;
};

const kindOf = (error: unknown) => explain(error, 'a call').kind;

function refuseItem({ name, value }: PutItem): void {
  const problem = definition.names.refuse(name);
  if (problem !== undefined) {
    throw new DestinationFailure('name', `secret name ${JSON.stringify(name.slice(0, 200))}: ${problem}`);
  }
  if (value.bytes === 0) {
    throw new DestinationFailure('invalid', `the value of secret ${name} is empty: the service keeps no empty values`);
  }
  if (value.bytes <= definition.valueBytesMax) return;
  const sizes = `${value.bytes} bytes, at most ${definition.valueBytesMax} are allowed`;
  throw new DestinationFailure('too-large', `the value of secret ${name} has ${sizes}`);
}

async function put(secrets: Secrets, item: PutItem, connection: Connection): Promise<string> {
  const unseen = mayAddUnseen(item, connection) ? await addUnseen(secrets, item, connection) : undefined;
  if (unseen !== undefined) return unseen;
  for (let round = 0; round < roundsMax; round++) {
    if (!(await prepare(secrets, item, connection))) continue;
    const version = await secrets.addVersion(item.name, item.value);
    if (version !== 'absent') return version;
  }
  throw new DestinationFailure('unavailable', `secret ${item.name} is being changed by others all the time`);
}

/** Where the destination names keys, no version is added before it is seen that it will be encrypted with them. */
const mayAddUnseen = ({ asRecorded, claim }: PutItem, connection: Connection): boolean =>
  asRecorded && claim !== 'create' && keyedReplication(connection) === undefined;

/** Undefined: the secret is not there any more, or is being changed. One that was made anew gets its labels back. */
async function addUnseen(secrets: Secrets, item: PutItem, connection: Connection): Promise<string | undefined> {
  const version = await secrets.addVersion(item.name, item.value);
  if (version === 'absent') return undefined;
  if (item.remoteVersion !== null && Number(version) === Number(item.remoteVersion) + 1) return version;
  const found = await secrets.find(item.name);
  if (found === 'absent') return undefined;
  return (await adjust(secrets, item, connection, found)) === 'set' ? version : undefined;
}

/** The secret is there, ours, and has its labels. False: somebody changed it in between. */
async function prepare(secrets: Secrets, item: PutItem, connection: Connection): Promise<boolean> {
  const create = async () => (await secrets.create(item.name, item.tags, replicationOf(connection))) === 'created';
  // Usually a create finds nothing, an update does.
  if (item.claim === 'create' && (await create())) return true;
  const found = await secrets.find(item.name);
  if (found === 'absent') return create();
  if (item.claim === 'create') refuseForeign(found, item.name, item.mark);
  const adjusted = await adjust(secrets, item, connection, found);
  return adjusted === 'absent' ? create() : adjusted === 'set';
}

async function adjust(secrets: Secrets, item: PutItem, connection: Connection, found: FoundSecret | 'denied') {
  const change = changeOf(found, item, connection);
  if (Object.keys(change).length === 0) return 'set';
  return secrets.change(item.name, change, found === 'denied' ? undefined : found.etag);
}

/** Without permission to look, labels and keys are set as they shall be. */
function changeOf(found: FoundSecret | 'denied', item: PutItem, connection: Connection): SecretChange {
  const present = found === 'denied' ? {} : found.labels;
  const labels = wantedLabels(present, item);
  const replication = found === 'denied' ? keyedReplication(connection) : rekeyed(found.replication, connection);
  if (replication === 'elsewhere') throw keptElsewhere(item.name);
  return {
    ...(found !== 'denied' && isSame(present, labels) ? {} : { labels }),
    ...(replication && { replication }),
  };
}

function keptElsewhere(name: string): DestinationFailure {
  const problem = `secret ${name} is kept in other locations than those that the destination has keys for, and locations are fixed`;
  return new DestinationFailure('conflict', `${problem}: remove it there, or change secret_name_template`);
}

function wantedLabels(present: Labels, { tags, staleTags }: PutItem): Labels {
  const kept = Object.entries(present).filter(([key]) => !staleTags.includes(key));
  return { ...Object.fromEntries(kept), ...tags };
}

const isSame = (one: Labels, other: Labels): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value);
