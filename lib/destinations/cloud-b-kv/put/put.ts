import type { PutItem, PutReceipt } from '../../contract.ts';
import type { Client } from '../client/client.ts';
import { look, refuseForeign } from '../look/look.ts';
import { names } from '../names.ts';
import { freeName, obstacleOf, untilSettled } from './soft-delete.ts';

export type Put = (calls: Client, item: PutItem, signal: AbortSignal) => Promise<PutReceipt>;

/** Checks whose secret it is (the vault has no conditional write), frees the name if a deleted secret holds it, and adds a version. */
export function newPut(purge: boolean): Put {
  const recovered = newRecovered();
  return async (calls, item, signal) => {
    if (item.mode !== 'adopt' && !recovered.has(item)) refuseForeign(await look(calls, item.name, signal), item);
    const free = () => freeName(calls, item, purge, signal, () => recovered.add(item));
    const receipt = await write(calls, item, signal, free);
    recovered.drop(item);
    return receipt;
  };
}

async function write(
  client: Client,
  item: PutItem,
  signal: AbortSignal,
  free: () => Promise<void>,
): Promise<PutReceipt> {
  return untilSettled(signal, async () => {
    try {
      return await set(client, item, signal);
    } catch (error) {
      const obstacle = obstacleOf(error);
      if (obstacle === undefined) throw error;
      if (obstacle === 'deleted') await free();
      return undefined;
    }
  });
}

async function set(client: Client, item: PutItem, signal: AbortSignal): Promise<PutReceipt> {
  const options = { enabled: true, tags: { ...item.tags }, abortSignal: signal };
  const { properties } = await client.call(signal, (secrets) =>
    secrets.setSecret(item.name, item.value.reveal(), options),
  );
  return { remoteVersion: properties.version ?? null };
}

/** Deleted secrets that one of our creates has begun to recover. */
const recoveredMax = 1_000;

/**
 * A recovered secret carries the mark of the association that wrote it earlier until our put succeeds. If that put fails, the next
 * one must not treat the recovered secret as foreign. (After a crash only the release tag shows this; where it could not be set,
 * the user adopts or removes the secret.)
 */
function newRecovered() {
  const markOf = new Map<string, string>();
  const key = ({ name }: PutItem) => names.key(name);
  return {
    has: (item: PutItem) => markOf.get(key(item)) === item.mark,
    add(item: PutItem): void {
      if (markOf.size < recoveredMax) markOf.set(key(item), item.mark);
    },
    drop: (item: PutItem) => markOf.delete(key(item)),
  };
}
