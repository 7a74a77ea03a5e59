import { generateKeyPairSync } from 'node:crypto';
import { type Container, newContainer } from './container.ts';

/** The state of the stand-in host: one organization with three repositories, one environment, one app. */
export interface Host {
  readonly personalToken: string;
  readonly app: HostApp;
  readonly repositories: Map<string, Repository>;
  readonly organizations: ReadonlyMap<string, Container>;
  /** Tokens of installations, with the expiry of each. */
  readonly installationTokens: Map<string, Date>;
  /** Added to our clock. */
  clockAheadMs: number;
}

export interface HostApp {
  readonly appId: number;
  readonly installationId: number;
  readonly privateKeyPem: string;
  readonly publicKeyPem: string;
}

export interface Repository extends Container {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
  readonly environments: Map<string, Container>;
}

const repositorySecretsMax = 100;
const organizationSecretsMax = 1000;

export const organizationName = 'acme';
export const repositoryName = 'app';
export const environmentName = 'production';

/** `await sodium.ready` first. */
export function newHost(): Host {
  const repositories = ['app', 'site', 'tools'].map((name, index) => newRepository(1001 + index, name));
  repositories[0]?.environments.set(environmentName, newContainer(repositorySecretsMax));
  return {
    personalToken: 'ghp_0123456789abcdefghijABCDEFGHIJ012345',
    app: newApp(),
    repositories: new Map(repositories.map((one) => [`${one.owner}/${one.name}`, one])),
    organizations: new Map([[organizationName, newContainer(organizationSecretsMax)]]),
    installationTokens: new Map(),
    clockAheadMs: 0,
  };
}

export const hostNow = (host: Host): Date => new Date(Date.now() + host.clockAheadMs);

/** Every location that holds secrets. */
export function containersOf(host: Host): readonly Container[] {
  const repositories = [...host.repositories.values()];
  return [
    ...repositories,
    ...repositories.flatMap((one) => [...one.environments.values()]),
    ...host.organizations.values(),
  ];
}

export const newRepository = (id: number, name: string): Repository => ({
  ...newContainer(repositorySecretsMax),
  id,
  owner: organizationName,
  name,
  environments: new Map(),
});

function newApp(): HostApp {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    // The host issues keys in this form.
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
  return { appId: 271_828, installationId: 314_159, privateKeyPem: pair.privateKey, publicKeyPem: pair.publicKey };
}
