import type { Log } from '#core/log/log.ts';
import { DestinationFailure, type PutItem } from '../../contract.ts';
import { cannot } from '../../frame/verb/verb.ts';
import { codeOf, explain } from '../failure.ts';
import type { Connection } from '../fields/fields.ts';
import { keyedReplication, rekeyed, replicationOf } from '../fields/replication.ts';
import { cannotCheckOwner, refuseForeign } from '../look/look.ts';
import { etagOf } from '../look/receipt.ts';
import type { Etag, FoundSecret, Labels, SecretChange, Secrets } from '../look/secrets.ts';

/** Rounds of a put when other clients change the secret in between. */
const roundsMax = 3;

/** The new version, and the etag of the secret that has it. */
export interface Written {
  readonly number: string;
  readonly etag: string | undefined;
}

/**
 * Checks whose secret it is, unless it was just created, and adds a version. The service cannot add a version conditionally, so a
 * secret that replaces ours between the two calls gets it.
 */
export async function put(secrets: Secrets, item: PutItem, connection: Connection): Promise<Written> {
  for (let round = 0; round < roundsMax; round++) {
    const prepared = await prepare(secrets, item, connection);
    if (prepared === undefined) continue;
    const number = await secrets.addVersion(item.name, item.value);
    if (number !== 'absent') return { number, etag: prepared.etag };
  }
  throw new DestinationFailure('unavailable', 'other clients keep changing the secret');
}

/** Makes sure that the secret exists, is ours and has its labels. Undefined when another client changed it in between. */
async function prepare(secrets: Secrets, item: PutItem, connection: Connection): Promise<Etag | undefined> {
  const create = async () => {
    const created = await secrets.create(item.name, item.tags, replicationOf(connection));
    return created === 'exists' ? undefined : created;
  };
  // A create usually finds no secret, and an update usually finds one.
  const created = item.mode === 'create' ? await create() : undefined;
  if (created !== undefined) return created;
  const found = await secrets.find(item.name);
  if (found === 'absent') return create();
  refuseForeign(found, item);
  const adjusted = await adjust(secrets, item, connection, found);
  if (adjusted === 'absent') return create();
  if (adjusted !== 'changed') return adjusted;
  // Without permission to look, another round would end in the same way.
  if (found === 'denied') throw cannotCheckOwner();
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

/** An adoption takes whatever secret has the name. */
const recordedEtag = ({ mode, remoteVersion }: PutItem) => (mode === 'adopt' ? undefined : etagOf(remoteVersion));

/** Without permission to look, all labels and keys are set. */
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
    'the secret is stored in locations that the destination has no keys for, and locations cannot be changed';
  return new DestinationFailure('conflict', `${problem}: remove it there, or change secret_name_template`);
}

function wantedLabels(present: Labels, { tags, staleTags }: PutItem): Labels {
  const kept = Object.entries(present).filter(([key]) => !staleTags.includes(key));
  return { ...Object.fromEntries(kept), ...tags };
}

const isSame = (one: Labels, other: Labels): boolean =>
  Object.keys(one).length === Object.keys(other).length &&
  Object.entries(one).every(([key, value]) => other[key] === value);

/** The new version is already written. Temporary failures are left to the next put; a missing permission is reported. */
export async function destroyOlder(
  secrets: Pick<Secrets, 'enabledVersions' | 'destroyVersion'>,
  name: string,
  version: string,
  log: Log,
): Promise<void> {
  try {
    const enabled = await secrets.enabledVersions(name);
    for (const older of enabled.filter((other) => Number(other) < Number(version))) {
      await secrets.destroyVersion(name, older);
    }
  } catch (error) {
    const failure = explain(error);
    if (codeOf(error) === 'PERMISSION_DENIED') throw cannot('destroy its older versions', failure);
    log.warn({ secret: name, kind: failure.kind }, 'older versions were not destroyed; the next put will retry');
  }
}
