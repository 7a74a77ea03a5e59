import { type Config, ConfigError, otherEnvironment, sealOf } from '#core/config.ts';
import type { KeySettings } from '#core/settings/seal.ts';
import type { StoreOptions } from '#store/open.ts';
import { type PasswordSource, passwordOfCommand, passwordOfFile } from '#store/postgres/connect/password.ts';
import type { DatabaseAccess } from '#store/postgres/connect/servers.ts';
import type { ReplicaOptions } from '#store/postgres/replica/replica.ts';
import type { OuterKey } from '#store/seal/keys/root-key-source.ts';
import { openStaticKey } from '#store/seal/keys/static-key.ts';

/** `what` describes the database in the error. @throws ConfigError when it is not set */
export function databaseOf(config: Config, what: string): DatabaseAccess {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl === undefined) throw new ConfigError(`DATABASE_URL is not set: it is ${what}`);
  return { databaseUrl, password: passwordSourceOf(config) };
}

/** Undefined when every read goes to the primary. */
export function replicaOf(config: Config): ReplicaOptions | undefined {
  const { KEYFERRY_DATABASE_REPLICA_URL: databaseUrl, KEYFERRY_DATABASE_REPLICA_LAG_MS_MAX: lagMsMax } = config;
  return databaseUrl === undefined
    ? undefined
    : { access: { databaseUrl, password: passwordSourceOf(config) }, lagMsMax };
}

function passwordSourceOf(config: Config): PasswordSource | undefined {
  const { KEYFERRY_DATABASE_PASSWORD_FILE: file, KEYFERRY_DATABASE_PASSWORD_COMMAND: command } = config;
  if (command !== undefined) return passwordOfCommand(command, otherEnvironment());
  return file === undefined ? undefined : passwordOfFile(file);
}

/** The configured seal, and the former one that the store may still have. */
export async function sealKeys(config: Config): Promise<Pick<StoreOptions, 'seal' | 'formerSeal'>> {
  const { seal, former } = sealOf(config);
  const open = (settings: KeySettings) => openKey(settings, config.AWS_REGION);
  return {
    seal: seal.type === 'shamir' ? seal.type : await open(seal),
    ...(former === undefined ? {} : { formerSeal: await open(former) }),
  };
}

async function openKey(settings: KeySettings, usualRegion: string | undefined): Promise<OuterKey> {
  if (settings.type === 'static') return openStaticKey(settings);
  // A process without a key service does not load its client.
  const { openServiceKey } = await import('#key-services/open.ts');
  return openServiceKey(settings.type, { ...settings, region: settings.region ?? usualRegion });
}
