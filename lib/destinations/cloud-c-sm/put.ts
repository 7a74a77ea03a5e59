import { DestinationFailure, type PutItem } from '../contract.ts';
import type { Connection } from './fields.ts';
import { refuseForeign, unseen } from './look.ts';
import { etagOf } from './receipt.ts';
import { keyedReplication, rekeyed, replicationOf } from './replication.ts';
import type { Etag, FoundSecret, Labels, SecretChange, Secrets } from './secrets.ts';

/** How often a put begins anew because others changed the secret in between. */
const roundsMax = 3;

/** The new version, and the etag of the secret that has it. */
export interface Written {
  readonly number: string;
  readonly etag: string | undefined;
}

/**
 * Looks whose secret it is, unless it has just been created, and adds a version. The service adds versions without any condition, so
 * a secret that takes this place between the two calls gets it.
 */
export async function put(secrets: Secrets, item: PutItem, connection: Connection): Promise<Written> {
  for (let round = 0; round < roundsMax; round++) {
    const prepared = await prepare(secrets, item, connection);
    if (prepared === undefined) continue;
    const number = await secrets.addVersion(item.name, item.value);
    if (number !== 'absent') return { number, etag: prepared.etag };
  }
  throw new DestinationFailure('unavailable', 'others change the secret all the time');
}

/** The secret is there, ours, and has its labels. Undefined: somebody changed it in between. */
async function prepare(secrets: Secrets, item: PutItem, connection: Connection): Promise<Etag | undefined> {
  const create = async () => {
    const created = await secrets.create(item.name, item.tags, replicationOf(connection));
    return created === 'exists' ? undefined : created;
  };
  // Usually a create finds nothing, an update does.
  const created = item.mode === 'create' ? await create() : undefined;
  if (created !== undefined) return created;
  const found = await secrets.find(item.name);
  if (found === 'absent') return create();
  refuseForeign(found, item);
  const adjusted = await adjust(secrets, item, connection, found);
  if (adjusted === 'absent') return create();
  if (adjusted !== 'changed') return adjusted;
  // Without permission to look, another round would meet the same.
  if (found === 'denied') throw unseen();
  return undefined;
}

async function adjust(
  secrets: Secrets,
  item: PutItem,
  connection: Connection,
  found: FoundSecret | 'denied',
): Promise<Etag | 'absent' | 'changed'> {
  const change = changeOf(found, item, connection);
  if (found === 'denied') return secrets.change(item.name, change, recordedEtag(item));
  return Object.keys(change).length === 0 ? found : secrets.change(item.name, change, found.etag);
}

/** Whoever adopts means whatever has the name. */
const recordedEtag = ({ mode, remoteVersion }: PutItem) => (mode === 'adopt' ? undefined : etagOf(remoteVersion));

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
