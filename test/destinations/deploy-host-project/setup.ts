import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PutItem } from '#destinations/contract.ts';
import { openDriver } from '#destinations/deploy-host-project/driver.ts';
import { type DeployHostFake, startFake } from '#destinations/deploy-host-project/fake/index.ts';
import { definition } from '#destinations/deploy-host-project/index.ts';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { readBounds } from '#network/bounds.ts';
import { patience } from '../../support/measures/patience.ts';
import { contextFor, putOf } from '../driving.ts';

export { failureOf, never } from '../driving.ts';

export const mark = '0123456789abcdef0123456789abcdef';
const schema = z.object({ ...definition.fields, ...networkFields });

export async function start(): Promise<DeployHostFake> {
  const fake = await startFake();
  onTestFinished(() => fake.close());
  return fake;
}

/** The arguments for opening a driver on the stand-in, from the fields of a request. */
export function configure(fake: DeployHostFake, change: object = {}, requestMs: number = patience.conditionMs) {
  const input = schema.parse({ ...fake.destination, ...change });
  const connection = { team_id: undefined, endpoint: undefined, tls_ca_cert: undefined, ...input };
  const network = toPolicy(input, input.tls_ca_cert, readBounds('all'));
  return {
    connection,
    context: contextFor(fake, { network, timeouts: { connectMs: patience.conditionMs, requestMs } }),
  };
}

export function open(fake: DeployHostFake, change: object = {}, requestMs?: number) {
  const { connection, context } = configure(fake, change, requestMs);
  const driver = openDriver(connection, context);
  onTestFinished(() => driver.close());
  return driver;
}

export const item = (name: string, value: string, change: Partial<PutItem> = {}): PutItem =>
  putOf(name, value, mark, change);
