import { z } from 'zod';
import type { Clock } from '../../../lib/core/clock.ts';
import { systemClock } from '../../../lib/core/clock.ts';
import { silentLog } from '../../../lib/core/log.ts';
import { Secret } from '../../../lib/core/secret.ts';
import {
  DestinationFailure,
  type Driver,
  type DriverContext,
  type PutItem,
} from '../../../lib/destinations/contract.ts';
import { openDriver } from '../../../lib/destinations/repo-host/driver.ts';
import type { RepoHostFake } from '../../../lib/destinations/repo-host/fake.ts';
import { type Connection, definition } from '../../../lib/destinations/repo-host/index.ts';

const schema = z.object(definition.fields);
const unset = {
  access_token: undefined,
  app_name: undefined,
  installation_id: undefined,
  repository_owner: undefined,
  repository_name: undefined,
  environment_name: undefined,
  organization_name: undefined,
  organization_visibility: undefined,
  selected_repository_names: undefined,
  endpoint: undefined,
  enterprise_url: undefined,
  tls_ca_cert: undefined,
};

/** Reads a request body as the sync room does; fields of other rooms are left out. */
export const connect = (body: Readonly<Record<string, unknown>>): Connection => ({ ...unset, ...schema.parse(body) });

/** A context that may reach the stand-in. */
export function contextFor(fake: RepoHostFake, changes: Partial<DriverContext> = {}): DriverContext {
  const port = Number(new URL(fake.url).port);
  const caCertificates = undefined;
  return {
    network: { disabled: false, allowedIpv4: ['127.0.0.0/8'], allowedIpv6: [], allowedPorts: [port], caCertificates },
    timeouts: { connectMs: 2_000, requestMs: 5_000 },
    clock: systemClock,
    log: silentLog,
    app: async () => ({ appId: fake.app.app_id, privateKey: new Secret(fake.app.private_key) }),
    ...changes,
  };
}

export const open = (
  fake: RepoHostFake,
  body: Readonly<Record<string, unknown>> = fake.destination,
  changes: Partial<DriverContext> = {},
): Driver => openDriver(connect(body), contextFor(fake, changes));

export function item(name: string, value: string, changes: Partial<PutItem> = {}): PutItem {
  const built = { name, value: new Secret(value), tags: {}, staleTags: [], claim: 'create' as const };
  return { ...built, mark: '0'.repeat(32), intendedAt: new Date(), remoteVersion: null, ...changes };
}

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

/** A clock that a test moves. */
export function movableClock(): Clock & { advance(milliseconds: number): void } {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance(milliseconds) {
      ahead += milliseconds;
    },
  };
}
