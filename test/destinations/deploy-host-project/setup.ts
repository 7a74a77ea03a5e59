import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PutItem } from '../../../lib/destinations/contract.ts';
import { openDriver } from '../../../lib/destinations/deploy-host-project/driver.ts';
import { type DeployHostFake, startFake } from '../../../lib/destinations/deploy-host-project/fake/index.ts';
import { definition } from '../../../lib/destinations/deploy-host-project/index.ts';
import { networkFields, toPolicy } from '../../../lib/destinations/frame/fields/network.ts';
import { patience } from '../../support/patience.ts';
import { contextFor, putOf } from '../driving.ts';

export { failureOf, never } from '../driving.ts';

export const mark = '0123456789abcdef0123456789abcdef';
const schema = z.object({ ...definition.fields, ...networkFields });

export async function start(): Promise<DeployHostFake> {
  const fake = await startFake();
  onTestFinished(() => fake.close());
  return fake;
}

/** What a driver is opened with on the stand-in, through the same fields as a request. */
export function configure(fake: DeployHostFake, change: object = {}, requestMs: number = patience.conditionMs) {
  const input = schema.parse({ ...fake.destination, ...change });
  const connection = { team_id: undefined, endpoint: undefined, tls_ca_cert: undefined, ...input };
  const network = toPolicy(input, input.tls_ca_cert);
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
