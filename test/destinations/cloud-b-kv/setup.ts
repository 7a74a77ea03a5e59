import { Agent, fetch } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../../lib/core/clock.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { Secret } from '../../../lib/core/secret.ts';
import { openDriver } from '../../../lib/destinations/cloud-b-kv/driver.ts';
import { startFake } from '../../../lib/destinations/cloud-b-kv/fake.ts';
import { type Connection, definition } from '../../../lib/destinations/cloud-b-kv/index.ts';
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
  /** Another driver on the same vault, for example with other fields. */
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
  const { authority_host, endpoint, tls_ca_cert, ...others } = z.object(definition.fields).parse(input);
  return { ...others, authority_host, endpoint, tls_ca_cert };
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
  const { tenant_id, client_id, client_secret, tls_ca_cert } = connect(fake.destination);
  const dispatcher = new Agent({ connect: { ca: tls_ca_cert ?? '' } });
  const form = {
    grant_type: 'client_credentials',
    client_id,
    client_secret,
    scope: 'https://vault.azure.net/.default',
  };
  const login = { method: 'POST', body: new URLSearchParams(form).toString(), dispatcher };
  const answer = await fetch(`${fake.url}/${tenant_id}/oauth2/v2.0/token`, login);
  const { access_token } = z.object({ access_token: z.string() }).parse(await answer.json());
  const init = { method, headers: { authorization: `Bearer ${access_token}` }, dispatcher };
  const sent = body === undefined ? init : { ...init, body: JSON.stringify(body) };
  const called = await fetch(`${fake.url}${path}?api-version=7.6`, sent);
  const read = await called.json();
  await dispatcher.close();
  return read;
}
