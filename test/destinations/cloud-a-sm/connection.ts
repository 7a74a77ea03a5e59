import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach } from 'vitest';
import { z } from 'zod';
import { openDriver } from '#destinations/cloud-a-sm/driver.ts';
import { type CloudASmFake, startFake } from '#destinations/cloud-a-sm/fake/index.ts';
import { type Connection, definition } from '#destinations/cloud-a-sm/index.ts';
import { knownOf } from '#destinations/cloud-a-sm/look/receipt.ts';
import type { Driver, DriverContext, PutItem } from '#destinations/contract.ts';
import { contextFor, putOf } from '../driving.ts';

export { contextFor, failureOf } from '../driving.ts';

const schema = z.object(definition.fields);
const unset = {
  access_key_id: undefined,
  secret_access_key: undefined,
  role_arn: undefined,
  external_id: undefined,
  region: undefined,
  kms_key_id: undefined,
  replica_regions: undefined,
  endpoint: undefined,
  sts_endpoint: undefined,
  tls_ca_cert: undefined,
};

/** Parses a request body as the sync module does; fields of other modules are ignored. */
export const connect = (body: Readonly<Record<string, unknown>>): Connection => ({ ...unset, ...schema.parse(body) });

/** `body` overrides fields of the stand-in's own body. */
export const open = (
  fake: CloudASmFake,
  body: Readonly<Record<string, unknown>> = {},
  changes: Partial<DriverContext> = {},
): Driver => openDriver(connect({ ...fake.destination, ...body }), contextFor(fake, changes));

interface Stand {
  readonly fake: CloudASmFake;
  readonly driver: Driver;
}

/** A new stand-in and a driver on it for each test. Call it at the top of a file. */
export function standForEach(): Stand {
  let present: Stand | undefined;
  const started = () => {
    if (present === undefined) throw new Error('the stand-in has not been started');
    return present;
  };
  beforeEach(async () => {
    const fake = await startFake();
    present = { fake, driver: open(fake) };
  });
  afterEach(async () => {
    await started().driver.close();
    await started().fake.close();
  });
  return {
    get fake() {
      return started().fake;
    },
    get driver() {
      return started().driver;
    },
  };
}

export function item(name: string, value: string, changes: Partial<PutItem> = {}): PutItem {
  const mark = changes.mark ?? '0'.repeat(32);
  return putOf(name, value, mark, { tags: definition.tags.builtIn(mark), ...changes });
}

export const newMark = (): string => randomBytes(16).toString('hex');
export const calm = (): AbortSignal => new AbortController().signal;

/** The version in the receipt of a put. */
export const versionIn = (remoteVersion: string | null): string | null => knownOf(remoteVersion).version;
