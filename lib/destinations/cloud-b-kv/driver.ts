import {
  DestinationFailure,
  type Driver,
  type Inspection,
  type OpenDriver,
  type PutItem,
  type PutReceipt,
} from '../contract.ts';
import { attempt } from '../frame/attempt.ts';
import { newTouch, touching } from '../frame/write-tracker.ts';
import { type Client, followed, openClient } from './client.ts';
import { explain } from './failure.ts';
import type { fields } from './fields.ts';
import { definition } from './index.ts';
import { look, refuseForeign } from './look.ts';
import { newRecovered } from './recovered.ts';
import { remove } from './remove.ts';
import { untilSettled } from './settle.ts';
import { freeName, obstacleOf } from './soft-delete.ts';

/**
 * Secrets in one vault.
 *
 * - A put makes a new, enabled version, also of a secret that somebody disabled: what is synced is meant to be used.
 *   The vault has no conditional write, so between the look of a create and its put somebody else can still write.
 * - A name that a deleted secret still holds is freed first: by recovery, or by a purge if `purge_on_delete` is set.
 * - A removed secret stays recoverable unless `purge_on_delete` is set; its tags tell that it was given up. A secret
 *   that is not ours stays (see remove.ts).
 * - A repeated put whose answer was lost makes one version more.
 */
export const openDriver: OpenDriver<typeof fields> = (connection, context) => {
  const client = openClient(connection, context);
  const purge = connection.purge_on_delete;
  const verb = <T>(signal: AbortSignal, what: string, run: () => Promise<T>) => attempt(signal, what, run, explain);
  const recovered = newRecovered();

  async function lookAndPut(calls: Client, item: PutItem, signal: AbortSignal): Promise<PutReceipt> {
    refuseItem(item);
    if (item.claim === 'create' && !recovered.has(item)) {
      refuseForeign(await look(calls, item.name, signal), item.name, item.mark);
    }
    const free = () => freeName(calls, item, purge, signal, () => recovered.add(item));
    const receipt = await put(calls, item, signal, free);
    recovered.drop(item);
    return receipt;
  }

  const driver: Driver = {
    put: (item, signal) => {
      const touch = newTouch(kindOf);
      const run = () => lookAndPut(followed(client, touch), item, signal);
      return touching(touch, () => verb(signal, `setting secret ${item.name}`, run));
    },
    remove: (item, signal) =>
      verb(signal, `removing secret ${item.name}`, () => remove(client, item, purge, context.log, signal)),
    inspect: (name, signal) => verb(signal, `inspecting secret ${name}`, () => inspect(client, name, signal)),
    close: async () => client.close(),
  };
  return driver;
};

const kindOf = (error: unknown) => explain(error, 'a call').kind;

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
  if (typeof found !== 'object') return found;
  const { released: _released, ...inspection } = found;
  return inspection;
}
