import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../../lib/core/clock.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { Secret } from '../../../lib/core/secret.ts';
import { openDriver } from '../../../lib/destinations/cloud-a-sm/driver.ts';
import type { CloudASmFake } from '../../../lib/destinations/cloud-a-sm/fake.ts';
import { type Connection, definition } from '../../../lib/destinations/cloud-a-sm/index.ts';
import {
  DestinationFailure,
  type Driver,
  type DriverContext,
  type PutItem,
} from '../../../lib/destinations/contract.ts';

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
  tls_ca_cert: undefined,
};

/** Reads a request body as the sync room does; fields of other rooms are left out. */
export const connect = (body: Readonly<Record<string, unknown>>): Connection => ({ ...unset, ...schema.parse(body) });

/** A context that may reach the stand-in. */
export function contextFor(fake: CloudASmFake, changes: Partial<DriverContext> = {}): DriverContext {
  const port = Number(new URL(fake.url).port);
  const caCertificates = undefined;
  return {
    network: { disabled: false, allowedIpv4: ['127.0.0.0/8'], allowedIpv6: [], allowedPorts: [port], caCertificates },
    timeouts: { connectMs: 2_000, requestMs: 5_000 },
    clock: systemClock,
    log: silentLog,
    app: async () => undefined,
    ...changes,
  };
}

/** `body` is laid over the stand-in's own. */
export const open = (
  fake: CloudASmFake,
  body: Readonly<Record<string, unknown>> = {},
  changes: Partial<DriverContext> = {},
): Driver => openDriver(connect({ ...fake.destination, ...body }), contextFor(fake, changes));

export function item(name: string, value: string, changes: Partial<PutItem> = {}): PutItem {
  const mark = changes.mark ?? '0'.repeat(32);
  const tags = definition.tags.builtIn(mark);
  const built = { name, value: new Secret(value), tags, staleTags: [], claim: 'create' as const };
  return { ...built, mark, intendedAt: new Date(), remoteVersion: null, ...changes };
}

export const newMark = (): string => randomBytes(16).toString('hex');
export const calm = (): AbortSignal => new AbortController().signal;

/** The failure of a verb; a verb that succeeds, or throws anything else, fails the test. */
export async function failureOf(verb: Promise<unknown>): Promise<DestinationFailure> {
  const outcome = await verb.then(
    () => new Error('the verb succeeded'),
    (error: unknown) => error,
  );
  if (outcome instanceof DestinationFailure) return outcome;
  throw outcome;
}
