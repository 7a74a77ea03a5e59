import { attempt } from '../attempt.ts';
import { DestinationFailure, type Driver, type OpenDriver, type PutItem } from '../contract.ts';
import { newTouch, touching } from '../touch.ts';
import { openClient } from './client.ts';
import { explain } from './failure.ts';
import type { Connection, fields } from './fields.ts';
import { definition } from './index.ts';
import { look, refuseForeign } from './look.ts';
import { destroyOlder } from './old-versions.ts';
import { remove } from './remove.ts';
import { replicationOf } from './replication.ts';
import { type FoundSecret, type Labels, type Secrets, secretsOf } from './secrets.ts';

/** How often a put begins anew because others changed the secret in between. */
const roundsMax = 3;

/**
 * Secrets in one project.
 *
 * - A put makes sure that the secret is there with its labels and then adds a version. If it ends in between, the next one
 *   completes it: the mark is among the labels.
 * - A repeated put whose answer was lost adds a second version of the same value: the service knows no request ids.
 * - Labels that others put on the secret stay.
 * - A removed secret is gone at once with all its versions; one that does not carry our mark stays.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const verb = <T>(signal: AbortSignal, what: string, run: (secrets: Secrets) => Promise<T>) => {
    const touch = newTouch(kindOf);
    return touching(touch, () => attempt(signal, what, () => run(secretsOf(client, signal, touch)), explain));
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
  for (let round = 0; round < roundsMax; round++) {
    if (!(await prepare(secrets, item, connection))) continue;
    const version = await secrets.addVersion(item.name, item.value);
    if (version !== 'absent') return version;
  }
  throw new DestinationFailure('unavailable', `secret ${item.name} is being changed by others all the time`);
}

/** The secret is there, ours, and has its labels. False: somebody changed it in between. */
async function prepare(secrets: Secrets, item: PutItem, connection: Connection): Promise<boolean> {
  const create = async () => (await secrets.create(item.name, item.tags, replicationOf(connection))) === 'created';
  // Usually a create finds nothing, an update does.
  if (item.claim === 'create' && (await create())) return true;
  const found = await secrets.find(item.name);
  if (found === 'absent') return create();
  if (item.claim === 'create') refuseForeign(found, item.name, item.mark);
  const labels = await relabel(secrets, item, found);
  return labels === 'absent' ? create() : labels === 'set';
}

/** Without permission to look the labels are set as they shall be. */
async function relabel(secrets: Secrets, item: PutItem, found: FoundSecret | 'denied') {
  const present = found === 'denied' ? {} : found.labels;
  const wanted = wantedLabels(present, item);
  if (found !== 'denied' && isSame(present, wanted)) return 'set';
  const etag = found === 'denied' ? undefined : found.etag;
  return secrets.setLabels(item.name, wanted, etag);
}

function wantedLabels(present: Labels, { tags, staleTags }: PutItem): Labels {
  const kept = Object.entries(present).filter(([key]) => !staleTags.includes(key));
  return { ...Object.fromEntries(kept), ...tags };
}

const isSame = (one: Labels, other: Labels): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value);
