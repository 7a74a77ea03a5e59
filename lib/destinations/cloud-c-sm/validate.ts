import { fileOf, parseCredentials } from './credentials.ts';
import type { Connection } from './fields.ts';

/** Replicas of one secret. */
const locationsMax = 50;

/** Rules over the fields of a connection. Texts never hold anything of the credentials. */
export function validate(connection: Connection): readonly string[] {
  return [...credentialProblems(connection), ...projectProblems(connection), ...replicationProblems(connection)];
}

function credentialProblems({ credentials, project_id }: Connection): readonly string[] {
  const file = fileOf(credentials);
  if (file !== undefined) return file === '' ? ['invalid credentials: the path behind @ is missing'] : [];
  const account = parseCredentials(credentials);
  if (typeof account === 'string') return [`invalid credentials: ${account}`];
  if (project_id !== undefined || account.project_id !== undefined) return [];
  return ['project_id is missing: the credentials name no project'];
}

// A project's id or number; it becomes a segment of a path.
function projectProblems({ project_id }: Connection): readonly string[] {
  if (project_id === undefined || /^[a-z0-9][a-z0-9.:-]{2,62}$/.test(project_id)) return [];
  return ['invalid project_id: it takes the id or the number of a project, not its name'];
}

function replicationProblems(connection: Connection): readonly string[] {
  const locations = connection.replication_locations ?? [];
  const keys = connection.locational_kms_keys ?? {};
  return [
    ...locationProblems(locations),
    ...locationalKeyProblems(locations, keys),
    ...globalKeyProblems(connection.global_kms_key, locations, keys),
  ];
}

function locationProblems(locations: readonly string[]): readonly string[] {
  const bad = locations.filter((location) => !/^[a-z][a-z0-9-]{1,62}$/.test(location));
  const problems = bad.map(
    (location) => `invalid replication_locations: ${shown(location)} is not a location such as europe-west1`,
  );
  if (new Set(locations).size < locations.length)
    problems.push('invalid replication_locations: a location is named twice');
  if (locations.length > locationsMax) problems.push(`replication_locations takes at most ${locationsMax} locations`);
  return problems;
}

function locationalKeyProblems(
  locations: readonly string[],
  keys: Readonly<Record<string, string>>,
): readonly string[] {
  const named = Object.keys(keys);
  if (named.length === 0) return [];
  if (locations.length === 0) return ['locational_kms_keys needs replication_locations'];
  const strange = named.filter((location) => !locations.includes(location));
  const missing = locations.filter((location) => !named.includes(location));
  return [
    ...strange.map((location) => `locational_kms_keys: ${shown(location)} is not among replication_locations`),
    ...missing.map(
      (location) => `locational_kms_keys has no key for ${shown(location)}: all locations have a key, or none`,
    ),
    ...Object.entries(keys).flatMap(([location, key]) => keyProblems('locational_kms_keys', key, location)),
  ];
}

function globalKeyProblems(
  key: string | undefined,
  locations: readonly string[],
  keys: Readonly<Record<string, string>>,
): readonly string[] {
  if (key === undefined) return [];
  if (locations.length > 0) return ['global_kms_key is not for replication_locations: use locational_kms_keys'];
  if (Object.keys(keys).length > 0) return [];
  return keyProblems('global_kms_key', key, 'global');
}

/** A key encrypts in its own location only. */
function keyProblems(field: string, key: string, location: string): readonly string[] {
  const own = /^projects\/[^/]+\/locations\/([^/]+)\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/.exec(key)?.[1];
  if (own === undefined) {
    return [`invalid ${field}: a key is named projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY`];
  }
  return own === location ? [] : [`invalid ${field}: the key is in ${shown(own)} but has to be in ${shown(location)}`];
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 64));
