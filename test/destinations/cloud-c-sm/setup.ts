import { sign } from 'node:crypto';
import { z } from 'zod';
import { systemClock } from '../../../lib/core/clock.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { Secret } from '../../../lib/core/secret.ts';
import { openDriver } from '../../../lib/destinations/cloud-c-sm/driver.ts';
import { startFake } from '../../../lib/destinations/cloud-c-sm/fake.ts';
import { type Connection, definition } from '../../../lib/destinations/cloud-c-sm/index.ts';
import {
  DestinationFailure,
  type Driver,
  type DriverContext,
  type PutItem,
} from '../../../lib/destinations/contract.ts';
import type { Fake } from '../../../lib/destinations/fake.ts';
import { strictPolicy } from '../../../lib/destinations/network/policy.ts';

export const markA = 'a'.repeat(32);
export const markB = 'b'.repeat(32);

export interface Setting {
  readonly fake: Fake;
  readonly driver: Driver;
  /** Another driver on the same project, for example with other fields. */
  open(fields?: Record<string, unknown>, context?: Partial<DriverContext>): Driver;
  close(): Promise<void>;
}

export async function start(fields: Record<string, unknown> = {}): Promise<Setting> {
  const fake = await startFake();
  const opened: Driver[] = [];
  const open: Setting['open'] = (others = {}, context = {}) => {
    const driver = openDriver(connect({ ...fake.destination, ...fields, ...others }), {
      ...contextFor(fake),
      ...context,
    });
    opened.push(driver);
    return driver;
  };
  const close = async () => {
    await Promise.all(opened.map((driver) => driver.close()));
    await fake.close();
  };
  return { fake, driver: open(), open, close };
}

export function connect(input: Record<string, unknown>): Connection {
  const parsed = z.object(definition.fields).parse(input);
  const { project_id, replication_locations, locational_kms_keys, global_kms_key, endpoint, tls_ca_cert } = parsed;
  const optional = { project_id, replication_locations, locational_kms_keys, global_kms_key, endpoint, tls_ca_cert };
  return { ...parsed, ...optional };
}

export function contextFor(fake: Fake): DriverContext {
  return {
    network: { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'], allowedPorts: [Number(new URL(fake.url).port)] },
    timeouts: { connectMs: 5_000, requestMs: 10_000 },
    clock: systemClock,
    log: silentLog,
    app: async () => undefined,
  };
}

export function item(over: Partial<Omit<PutItem, 'value'>> & { readonly value?: string } = {}): PutItem {
  const mark = over.mark ?? markA;
  return {
    name: 'keyferry-kv-1234-db',
    tags: definition.tags.builtIn(mark),
    staleTags: [],
    claim: 'create',
    intendedAt: new Date(),
    remoteVersion: null,
    ...over,
    mark,
    value: new Secret(over.value ?? '{"password":"s3cr3t-m4rker"}'),
  };
}

/** The failure that `promise` ends with. */
export async function failureOf(promise: Promise<unknown>): Promise<DestinationFailure> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof DestinationFailure) return error;
  throw new Error('not a DestinationFailure', { cause: error });
}

export const never = new AbortController().signal;

/** A call of somebody else, past the driver. */
export async function callFake(fake: Fake, method: string, path: string, body?: object): Promise<unknown> {
  const shape = z.object({
    client_email: z.string(),
    private_key: z.string(),
    private_key_id: z.string(),
    project_id: z.string(),
  });
  const account = shape.parse(JSON.parse(String(fake.destination['credentials'])));
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const scope = 'https://www.googleapis.com/auth/cloud-platform';
  const claims = { iss: account.client_email, sub: account.client_email, scope, iat: now, exp: now + 60 };
  const unsigned = `${encode({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })}.${encode(claims)}`;
  const token = `${unsigned}.${sign('RSA-SHA256', Buffer.from(unsigned), account.private_key).toString('base64url')}`;
  const init = { method, headers: { authorization: `Bearer ${token}` } };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const answer = await fetch(`${fake.url}/v1/projects/${account.project_id}/secrets${path}`, sent);
  return answer.json();
}
