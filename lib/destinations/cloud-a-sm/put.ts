import { setTimeout as sleep } from 'node:timers/promises';
import { DestinationFailure, type PutItem, type PutReceipt } from '../contract.ts';
import { foreignObject } from '../frame/rules/foreign.ts';
import type { Client } from './client.ts';
import { type Created, create } from './create.ts';
import type { Connection } from './fields.ts';
import { look, mayWrite, type RemoteSecret } from './look.ts';
import { toRemoteVersion } from './receipt.ts';
import { tagChanges } from './tagging.ts';
import { update } from './update.ts';
import { type Written, writeNext } from './versions.ts';

/**
 * A name stays taken for a while after its secret was deleted at once, and a new secret is not seen everywhere at once:
 * each round looks anew.
 */
const waitsMs = [0, 250, 500, 1_000, 2_000];
const retryAfterMs = 15_000;

/** Creates the secret or gives it this value. One attempt; it ends at the latest after the rounds and waits above. */
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
  const text = 'an earlier secret of this name is still being deleted; it is tried again';
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
    // Without a look, the refusal of the update was the look: the secret is gone.
    if (found !== 'unknown' || written === 'restored') return undefined;
  }
  if (item.mode === 'create') return undefined;
  const made = await create(client, connection, item, signal);
  if (made === 'taken' && found === 'unknown') throw unseen();
  return madeOf(made);
}

const madeOf = (made: Created): Written | undefined => (typeof made === 'string' ? undefined : made);

/** Where the destination names keys, no version is written before it is seen that it will be encrypted with them. */
function mayWriteNext({ asRecorded, mode }: PutItem, { kms_key_id, replica_regions = {} }: Connection): boolean {
  const keyed = kms_key_id !== undefined || Object.values(replica_regions).some((key) => key !== '');
  return asRecorded && mode !== 'create' && !keyed;
}

/**
 * The service takes a creation that it knows for a repeat and answers as if it had just done it, also when newer values were
 * written since, and whatever the tags are. So a success is believed only if nothing else is seen.
 */
function isInLine(found: RemoteSecret | 'unknown' | undefined, version: string, item: PutItem): boolean {
  if (found === undefined || found === 'unknown') return true;
  const { set, unset } = tagChanges(found, item);
  return found.currentVersion === version && Object.keys(set).length === 0 && unset.length === 0;
}

function mustBeWritable(found: RemoteSecret | 'unknown', item: PutItem): void {
  if (found === 'unknown') {
    if (item.mode !== 'create') return;
    throw unseen();
  }
  if (mayWrite(found, item)) return;
  throw foreignObject(found.deleted ? 'a secret of this name, which waits for its deletion,' : 'a secret of this name');
}

function unseen(): DestinationFailure {
  const rule = 'give the credentials secretsmanager:DescribeSecret to find out whose it is, or adopt it';
  return new DestinationFailure('permission', `there is a secret of this name: ${rule}`);
}
