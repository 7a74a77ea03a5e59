import sodium from 'libsodium-wrappers';
import type { Fake, FakeObject, StartFake } from '../../fake.ts';
import { newFaults } from '../../frame/fake/faults.ts';
import { type Container, newKeyPair, type Visibility } from './container.ts';
import {
  containersOf,
  environmentName,
  type Host,
  hostNow,
  newHost,
  newRepository,
  organizationName,
  repositoryName,
} from './host.ts';
import { serveHost } from './server.ts';

/**
 * A stand-in for the repository host. `destination`, `objects()`, `seed()` and `change()` are about the secrets of one repository;
 * `at()` gives the same view of the other locations.
 */
export interface RepoHostFake extends Fake {
  /** Request bodies for the same stand-in: with an app, for an environment, for an organization, and with `enterprise_url`. */
  readonly appDestination: Readonly<Record<string, unknown>>;
  readonly environmentDestination: Readonly<Record<string, unknown>>;
  readonly organizationDestination: Readonly<Record<string, unknown>>;
  readonly enterpriseDestination: Readonly<Record<string, unknown>>;
  /** The body for `sys/sync/github-apps/<app_name>` that `appDestination` needs. */
  readonly app: { readonly app_id: number; readonly private_key: string; readonly endpoint: string };
  at(location: 'repository' | 'environment' | 'organization'): Pick<Fake, 'objects' | 'seed' | 'change'>;
  /** The repositories that may see an organization secret. */
  visibility(name: string): Visibility | undefined;
  /** Replaces all public keys; values sealed to the old ones are refused. */
  rotateKeys(): void;
  /** Revokes all tokens of installations, as a change of the app's permissions does. */
  revokeInstallationTokens(): void;
  /** Sets the host's clock ahead of ours, or behind it with a negative number. */
  shiftClock(milliseconds: number): void;
  /** Deletes a repository with its secrets. */
  removeRepository(name: string): void;
  /** Deletes a repository and creates an empty one of that name, which has another id. */
  recreateRepository(name: string): void;
}

/** Seeded objects are older than any of our intents. */
const seededAgoMs = 24 * 60 * 60_000;

export const startFake = (async ({ port = 0 } = {}): Promise<RepoHostFake> => {
  await sodium.ready;
  const host = newHost();
  const faults = newFaults();
  const calls = new Map<string, number>();
  const served = await serveHost(host, faults, calls, port);
  const url = `http://127.0.0.1:${served.port}`;
  const at: RepoHostFake['at'] = (location) => viewOf(host, () => containerAt(host, location));
  return {
    url,
    ...destinationsOf(host, url, served.port),
    app: { app_id: host.app.appId, private_key: host.app.privateKeyPem, endpoint: url },
    ...at('repository'),
    at,
    calls: () => new Map(calls),
    fail: faults.set,
    heal: faults.heal,
    limit: faults.limit,
    close: served.close,
    ...leversOf(host),
  };
}) satisfies StartFake;

function destinationsOf(host: Host, url: string, port: number) {
  const reach = { allowed_ipv4_addresses: ['127.0.0.0/8'], allowed_ports: [port] };
  const byToken = { access_token: host.personalToken, endpoint: url, ...reach };
  const repository = { repository_owner: organizationName, repository_name: repositoryName };
  const destination = { ...byToken, ...repository };
  const { access_token, ...withoutToken } = destination;
  const { endpoint, ...withoutEndpoint } = destination;
  return {
    destination,
    appDestination: { ...withoutToken, app_name: 'keyferry-sync', installation_id: host.app.installationId },
    environmentDestination: { ...destination, environment_name: environmentName },
    organizationDestination: {
      ...byToken,
      secrets_location: 'organization',
      organization_name: organizationName,
      organization_visibility: 'selected',
      selected_repository_names: ['app', 'site'],
    },
    enterpriseDestination: { ...withoutEndpoint, enterprise_url: `${url}/` },
  };
}

function containerAt(host: Host, location: Parameters<RepoHostFake['at']>[0]): Container | undefined {
  if (location === 'organization') return host.organizations.get(organizationName);
  const repository = host.repositories.get(`${organizationName}/${repositoryName}`);
  return location === 'repository' ? repository : repository?.environments.get(environmentName);
}

function viewOf(host: Host, container: () => Container | undefined): Pick<Fake, 'objects' | 'seed' | 'change'> {
  return {
    objects() {
      const secrets = [...(container()?.secrets ?? [])];
      return new Map(secrets.map(([name, { value }]): [string, FakeObject] => [name, { value, tags: {} }]));
    },
    seed(name, value) {
      const at = seededAt(host);
      container()?.secrets.set(name.toUpperCase(), { value, createdAt: at, updatedAt: at, visibility: undefined });
    },
    change(name, value) {
      const secret = container()?.secrets.get(name.toUpperCase());
      if (secret === undefined) throw new Error(`the stand-in has no secret ${name}`);
      container()?.secrets.set(name.toUpperCase(), { ...secret, value, updatedAt: seededAt(host) });
    },
  };
}

/** The time of changes by hand, far from the time of any of our puts. */
const seededAt = (host: Host): Date => new Date(hostNow(host).getTime() - seededAgoMs);

function leversOf(host: Host) {
  return {
    visibility: (name: string) => host.organizations.get(organizationName)?.secrets.get(name)?.visibility,
    rotateKeys() {
      for (const container of containersOf(host)) container.keys.push(newKeyPair(container.keys.length + 1));
    },
    revokeInstallationTokens: () => host.installationTokens.clear(),
    shiftClock(milliseconds: number) {
      host.clockAheadMs = milliseconds;
    },
    removeRepository: (name: string) => void host.repositories.delete(`${organizationName}/${name}`),
    recreateRepository(name: string) {
      const idMax = Math.max(...[...host.repositories.values()].map(({ id }) => id));
      host.repositories.set(`${organizationName}/${name}`, newRepository(idMax + 1, name));
    },
  };
}
