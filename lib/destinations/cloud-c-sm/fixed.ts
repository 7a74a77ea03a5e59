// Beyond the usual files: what is fixed comes from several fields, in more than one form.
import { fileOf, parseCredentials } from './credentials.ts';
import type { Connection } from './fields.ts';
import { locationsOf } from './replication.ts';

/** Locations are fixed with the first secret; in another project the copies are other ones. */
export function fixed(connection: Connection): Readonly<Record<string, unknown>> {
  const project = connection.project_id === undefined ? ownProjectOf(connection.credentials) : undefined;
  return {
    'replica_regions (or replication_locations)': locationsOf(connection),
    ...(project !== undefined && { 'the project of credentials': project }),
  };
}

/** The project of the secrets; the file's name where only the worker reads the credentials. */
export function projectOf({ project_id, credentials }: Connection): string {
  return project_id ?? ownProjectOf(credentials) ?? credentials;
}

/** Undefined: only the worker reads the file that they are in. */
function ownProjectOf(credentials: string): string | undefined {
  if (fileOf(credentials) !== undefined) return undefined;
  const account = parseCredentials(credentials);
  return typeof account === 'string' ? undefined : account.project_id;
}
