import { type Config, ConfigError, otherEnvironment } from '../core/config.ts';
import { type PasswordSource, passwordOfCommand, passwordOfFile } from '../store/postgres/connect/password.ts';
import type { DatabaseAccess } from '../store/postgres/connect/servers.ts';
import type { ReplicaOptions } from '../store/postgres/replica/replica.ts';

/** @throws ConfigError, which says what the database is needed for */
export function databaseOf(config: Config, what: string): DatabaseAccess {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl === undefined) throw new ConfigError(`DATABASE_URL is not set: it is ${what}`);
  return { databaseUrl, password: passwordSourceOf(config) };
}

/** Undefined: every read goes to the primary. */
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
