import { DestinationFailure, type PutItem } from '../contract.ts';
import type { Connection } from './fields.ts';
import { refuseForeign } from './look.ts';
import { keyedReplication, rekeyed, replicationOf } from './replication.ts';
import type { FoundSecret, Labels, SecretChange, Secrets } from './secrets.ts';

/** How often a put begins anew because others changed the secret in between. */
const roundsMax = 3;

/** Resolves to the number of the new version. */
export async function put(secrets: Secrets, item: PutItem, connection: Connection): Promise<string> {
  const unseen = mayAddUnseen(item, connection) ? await addUnseen(secrets, item, connection) : undefined;
  if (unseen !== undefined) return unseen;
  for (let round = 0; round < roundsMax; round++) {
    if (!(await prepare(secrets, item, connection))) continue;
    const version = await secrets.addVersion(item.name, item.value);
    if (version !== 'absent') return version;
  }
  throw new DestinationFailure('unavailable', 'others change the secret all the time');
}

/** Where the destination names keys, no version is added before it is seen that it will be encrypted with them. */
const mayAddUnseen = ({ asRecorded, mode }: PutItem, connection: Connection): boolean =>
  asRecorded && mode !== 'create' && keyedReplication(connection) === undefined;

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
  if (item.mode === 'create' && (await create())) return true;
  const found = await secrets.find(item.name);
  if (found === 'absent') return create();
  if (item.mode === 'create') refuseForeign(found, item.mark);
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
  if (replication === 'elsewhere') throw keptElsewhere();
  return {
    ...(found !== 'denied' && isSame(present, labels) ? {} : { labels }),
    ...(replication && { replication }),
  };
}

function keptElsewhere(): DestinationFailure {
  const problem =
    'the secret is kept in other locations than those that the destination has keys for, and locations are fixed';
  return new DestinationFailure('conflict', `${problem}: remove it there, or change secret_name_template`);
}

function wantedLabels(present: Labels, { tags, staleTags }: PutItem): Labels {
  const kept = Object.entries(present).filter(([key]) => !staleTags.includes(key));
  return { ...Object.fromEntries(kept), ...tags };
}

const isSame = (one: Labels, other: Labels): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value);
