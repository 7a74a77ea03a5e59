import { z } from 'zod';
import type { Clock } from '#core/clock.ts';
import { Secret } from '#core/secret.ts';
import type { Driver, DriverContext, PutItem } from '#destinations/contract.ts';
import { openDriver } from '#destinations/repo-host/driver.ts';
import type { RepoHostFake } from '#destinations/repo-host/fake/index.ts';
import { type Connection, definition } from '#destinations/repo-host/index.ts';
import { putOf, contextFor as reach } from '../driving.ts';

export { failureOf } from '../driving.ts';

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

/** Parses a request body as the sync module does; fields of other modules are ignored. */
export const connect = (body: Readonly<Record<string, unknown>>): Connection => ({ ...unset, ...schema.parse(body) });

/** A context that may reach the stand-in. */
export const contextFor = (fake: RepoHostFake, changes: Partial<DriverContext> = {}): DriverContext =>
  reach(fake, {
    app: async () => ({
      appId: fake.app.app_id,
      privateKey: new Secret(fake.app.private_key),
      addresses: { endpoint: fake.url },
    }),
    ...changes,
  });

export const open = (
  fake: RepoHostFake,
  body: Readonly<Record<string, unknown>> = fake.destination,
  changes: Partial<DriverContext> = {},
): Driver => openDriver(connect(body), contextFor(fake, changes));

export const item = (name: string, value: string, changes: Partial<PutItem> = {}): PutItem =>
  putOf(name, value, '0'.repeat(32), changes);

export const calm = (): AbortSignal => new AbortController().signal;

/** A clock that a test can advance. */
export function movableClock(): Clock & { advance(milliseconds: number): void } {
  let ahead = 0;
  return {
    now: () => new Date(Date.now() + ahead),
    advance(milliseconds) {
      ahead += milliseconds;
    },
  };
}
