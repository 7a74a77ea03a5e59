import { setTimeout as sleep } from 'node:timers/promises';
import { DestinationFailure, type PutItem, type PutReceipt } from '../../contract.ts';
import { foreignObject } from '../../frame/rules/found.ts';
import type { Client } from '../client.ts';
import type { Connection } from '../fields/fields.ts';
import { look, mayWrite, type RemoteSecret } from '../look/look.ts';
import { toRemoteVersion } from '../look/receipt.ts';
import { type Created, create } from './create.ts';
import { tagChanges } from './tagging.ts';
import { update } from './update.ts';
import { type Written, writeNext } from './versions.ts';

/**
 * A name stays taken for a while after its secret was deleted without a recovery window, and a new secret is not visible
 * everywhere at once, so each round looks again.
 */
const waitsMs = [0, 250, 500, 1_000, 2_000];
const retryAfterMs = 15_000;

/** Creates the secret or gives it this value, in one attempt that is bounded by the rounds and waits above. */
export async function put(
  client: Client,
  connection: Connection,
  item: PutItem,
  signal: AbortSignal,
): Promise<PutReceipt> {
  for (const waitMs of waitsMs) {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    const written = await tryOnce(client, connection, item, signal);
    if (written !== undefined) return { remoteVersion: toRemoteVersion(written.version, written.arn) };
  }
  const text = 'an earlier secret of this name is still being deleted; the sync will retry';
  throw new DestinationFailure('unavailable', text, { retryAfterMs });
}

async function tryOnce(
  client: Client,
  connection: Connection,
  item: PutItem,
  signal: AbortSignal,
): Promise<Written | undefined> {
  const created = item.mode === 'create' ? madeOf(await create(client, connection, item, signal)) : undefined;
  if (created !== undefined && item.asRecorded) return created;
  const next = mayWriteNext(item, connection) ? await writeNext(client, item, signal) : undefined;
  if (next !== undefined) return next;
  const found = await look(client, item.name, signal);
  if (created !== undefined && isInLine(found, created.version, item)) return created;
  if (found !== undefined) {
    mustBeWritable(found, item);
    const written = await update(client, connection, found, item, signal);
    if (typeof written === 'object') return written;
    // Without permission to look, the refusal of the update shows that the secret is gone.
    if (found !== 'unknown' || written === 'restored') return undefined;
  }
  if (item.mode === 'create') return undefined;
  const made = await create(client, connection, item, signal);
  if (made === 'taken' && found === 'unknown') throw cannotCheckOwner();
  return madeOf(made);
}

const madeOf = (made: Created): Written | undefined => (typeof made === 'string' ? undefined : made);

/** Where the destination names keys, no version is written before we have checked that the secret uses them. */
function mayWriteNext({ asRecorded, mode }: PutItem, { kms_key_id, replica_regions = {} }: Connection): boolean {
  const keyed = kms_key_id !== undefined || Object.values(replica_regions).some((key) => key !== '');
  return asRecorded && mode !== 'create' && !keyed;
}

/**
 * The service treats a creation with a known token as a repeat and reports success, even when newer values were written since and
 * whatever the tags are. So a success counts only if the secret shows nothing to the contrary.
 */
function isInLine(found: RemoteSecret | 'unknown' | undefined, version: string, item: PutItem): boolean {
  if (found === undefined || found === 'unknown') return true;
  const { set, unset } = tagChanges(found, item);
  return found.currentVersion === version && Object.keys(set).length === 0 && unset.length === 0;
}

function mustBeWritable(found: RemoteSecret | 'unknown', item: PutItem): void {
  if (found === 'unknown') {
    if (item.mode !== 'create') return;
    throw cannotCheckOwner();
  }
  if (mayWrite(found, item)) return;
  throw foreignObject(found.deleted ? 'a secret of this name, scheduled for deletion,' : 'a secret of this name');
}

function cannotCheckOwner(): DestinationFailure {
  const rule = 'grant the credentials secretsmanager:DescribeSecret so that its owner can be checked, or adopt it';
  return new DestinationFailure('permission', `a secret of this name exists: ${rule}`);
}
