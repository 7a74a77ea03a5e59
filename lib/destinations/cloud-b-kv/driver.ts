import { setTimeout as sleep } from 'node:timers/promises';
import { attempt } from '../attempt.ts';
import {
  DestinationFailure,
  type Driver,
  type Inspection,
  type OpenDriver,
  type PutItem,
  type PutReceipt,
} from '../contract.ts';
import { type Client, openClient } from './client.ts';
import { explain, statusOf } from './failure.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { look, refuseForeign } from './look.ts';
import { newRecovered } from './recovered.ts';
import { findDeleted, freeName, isOurs, obstacleOf, purgeDeleted, release } from './soft-delete.ts';

/** How often a step is tried while the vault is still deleting, recovering or purging: some 70 seconds in all. */
const triesMax = 40;
const pauseMsMin = 100;
const pauseMsMax = 2_000;

/**
 * Secrets in one vault.
 *
 * - A put makes a new, enabled version, also of a secret that somebody disabled: what is synced is meant to be used.
 *   The vault has no conditional write, so between the look of a create and its put somebody else can still write.
 * - A name that a deleted secret still holds is freed first: by recovery, or by a purge if `purge_on_delete` is set.
 * - A removed secret stays recoverable unless `purge_on_delete` is set; its tags tell that it was given up.
 * - A repeated put whose answer was lost makes one version more.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const purge = connection.purge_on_delete;
  const verb = <T>(signal: AbortSignal, what: string, run: () => Promise<T>) => attempt(signal, what, run, explain);
  const recovered = newRecovered();

  const driver: Driver = {
    put: (item, signal) =>
      verb(signal, `setting secret ${item.name}`, async () => {
        refuseItem(item);
        if (item.claim === 'create' && !recovered.has(item)) {
          refuseForeign(await look(client, item.name, signal), item.name, item.mark);
        }
        const free = () => freeName(client, item, purge, signal, () => recovered.add(item));
        const receipt = await put(client, item, signal, free);
        recovered.drop(item);
        return receipt;
      }),
    remove: ({ name }, signal) => verb(signal, `removing secret ${name}`, () => remove(client, name, purge, signal)),
    inspect: (name, signal) => verb(signal, `inspecting secret ${name}`, () => inspect(client, name, signal)),
    close: async () => client.close(),
  };
  return driver;
};

function refuseItem({ name, value }: PutItem): void {
  const problem = definition.names.refuse(name);
  if (problem !== undefined) {
    throw new DestinationFailure('name', `secret name ${JSON.stringify(name.slice(0, 200))}: ${problem}`);
  }
  if (value.bytes <= definition.valueBytesMax) return;
  const sizes = `${value.bytes} bytes, at most ${definition.valueBytesMax} are allowed`;
  throw new DestinationFailure('too-large', `the value of secret ${name} has ${sizes}`);
}

async function put(client: Client, item: PutItem, signal: AbortSignal, free: () => Promise<void>): Promise<PutReceipt> {
  return untilSettled(item.name, signal, async () => {
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

async function inspect(client: Client, name: string, signal: AbortSignal): Promise<Inspection | undefined | 'unknown'> {
  const found = await look(client, name, signal);
  return typeof found === 'object' ? { remoteVersion: found.remoteVersion, mark: found.mark } : found;
}

async function remove(client: Client, name: string, purge: boolean, signal: AbortSignal): Promise<void> {
  if (!purge) await release(client, name, signal);
  const deleted = await untilSettled(name, signal, () => softDelete(client, name, signal));
  if (!purge || deleted === 'for ever') return;
  // Left over from a removal that ended before its purge. What others deleted is theirs.
  if (deleted === 'was not there') {
    const left = await findDeleted(client, name, signal);
    if (left === undefined || !isOurs(left)) return;
  }
  await untilSettled(name, signal, () => purgeOnce(client, name, signal));
}

type Deleted = 'deleted' | 'for ever' | 'was not there';

async function softDelete(client: Client, name: string, signal: AbortSignal): Promise<Deleted | undefined> {
  try {
    const poller = await client.call(signal, (secrets) => secrets.beginDeleteSecret(name, { abortSignal: signal }));
    // Old vaults without soft delete tell no recovery id.
    return poller.getResult()?.recoveryId === undefined ? 'for ever' : 'deleted';
  } catch (error) {
    const obstacle = obstacleOf(error);
    if (statusOf(error) === 404 || obstacle === 'deleted') return 'was not there';
    if (obstacle === 'on the way') return undefined;
    throw error;
  }
}

/** 404 as well as 409: it is still being deleted. */
async function purgeOnce(client: Client, name: string, signal: AbortSignal): Promise<true | undefined> {
  try {
    await purgeDeleted(client, name, signal);
    return true;
  } catch (error) {
    if (statusOf(error) === 404 || obstacleOf(error) !== undefined) return undefined;
    throw error;
  }
}

/** Repeats `step`, which answers undefined while the vault is busy with the secret. */
async function untilSettled<T>(name: string, signal: AbortSignal, step: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < triesMax; tries++) {
    const done = await step();
    if (done !== undefined) return done;
    await sleep(Math.min(pauseMsMax, pauseMsMin * 2 ** tries), undefined, { signal });
  }
  throw new DestinationFailure('unavailable', `the vault is still deleting, recovering or purging secret ${name}`);
}
