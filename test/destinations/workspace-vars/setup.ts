import { onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PutItem } from '#destinations/contract.ts';
import { networkFields, toPolicy } from '#destinations/frame/fields/network.ts';
import { openDriver } from '#destinations/workspace-vars/driver.ts';
import { startFake, type WorkspaceFake } from '#destinations/workspace-vars/fake/index.ts';
import { type Connection, definition } from '#destinations/workspace-vars/index.ts';
import { readBounds } from '#network/bounds.ts';
import { contextFor, putOf } from '../driving.ts';

export { failureOf, never } from '../driving.ts';

export const mark = '0123456789abcdef0123456789abcdef';
export const description = `managed by keyferry, mark ${mark}`;
const schema = z.object({ ...definition.fields, ...networkFields });

export async function start(): Promise<WorkspaceFake> {
  const fake = await startFake();
  onTestFinished(() => fake.close());
  return fake;
}

const notGiven = {
  workspace_id: undefined,
  organization_name: undefined,
  workspace_name: undefined,
  variable_set_id: undefined,
  description: undefined,
  address: undefined,
  endpoint: undefined,
  tls_ca_cert: undefined,
};

/** The connection that a request comes to. */
export const connectionOf = (input: object): Connection => ({ ...notGiven, ...schema.parse(input) });

export function open(fake: WorkspaceFake, change: object = {}) {
  const input = { ...fake.destination, ...change };
  const network = toPolicy(schema.parse(input), undefined, readBounds('all'));
  const driver = openDriver(connectionOf(input), contextFor(fake, { network }));
  onTestFinished(() => driver.close());
  return driver;
}

/** Fields that name the stand-in's workspace or its variable set instead of the workspace's id. */
export const targets = {
  'a workspace by its id': () => ({}),
  'a workspace by its name': (fake: WorkspaceFake) => ({ workspace_id: '', ...fake.byName }),
  'a variable set': (fake: WorkspaceFake) => ({ workspace_id: '', ...fake.variableSet }),
};

export const item = (name: string, value: string, change: Partial<PutItem> = {}): PutItem =>
  putOf(name, value, mark, change);

/** Names of the operations that were called, each as often. */
export const operations = (fake: WorkspaceFake): Readonly<Record<string, number>> => Object.fromEntries(fake.calls());
