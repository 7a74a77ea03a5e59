import { type Problem, problemOf } from '#core/problem.ts';
import type { FieldRelation } from '../contract.ts';
import { fileOf, parseCredentials, universeProblem } from './fields/credentials.ts';
import type { Connection } from './fields/fields.ts';

export const relations: readonly FieldRelation[] = [
  {
    kind: 'alternatives',
    sets: [['kms_key_id'], ['global_kms_key'], ['replica_regions'], ['replication_locations', 'locational_kms_keys']],
    required: false,
  },
  { kind: 'only-with', fields: ['locational_kms_keys'], field: 'replication_locations' },
];

/** Rules about the fields of a connection. The messages never quote the credentials. */
export function validate(connection: Connection): readonly Problem[] {
  return [...credentialProblems(connection), ...projectProblems(connection), ...replicationProblems(connection)];
}

function credentialProblems({ credentials, project_id, endpoint }: Connection): readonly Problem[] {
  const file = fileOf(credentials);
  if (file !== undefined) return file === '' ? [credentialProblem('the path after @ is missing')] : [];
  const account = parseCredentials(credentials);
  if (typeof account === 'string') return [credentialProblem(account)];
  const universe = universeProblem(account.universe_domain, endpoint);
  if (universe !== undefined) return [credentialProblem(universe)];
  if (project_id !== undefined || account.project_id !== undefined) return [];
  return [problemOf('project_id', 'project_id is missing: the credentials do not name a project')];
}

const credentialProblem = (rule: string): Problem => problemOf('credentials', `invalid credentials: ${rule}`);

// A project's id or number; it becomes a segment of a path.
function projectProblems({ project_id }: Connection): readonly Problem[] {
  if (project_id === undefined || /^[a-z0-9][a-z0-9.:-]{2,62}$/.test(project_id)) return [];
  return [problemOf('project_id', 'invalid project_id: must be the id or the number of a project, not its name')];
}

/** Replicas of one secret. */
const locationsMax = 50;

type Keys = Readonly<Record<string, string>>;

/** Rules about locations and keys, by newer and earlier field names. Mixing them is refused: one would be ignored silently. */
function replicationProblems(connection: Connection): readonly Problem[] {
  const { replication_locations: locations = [], locational_kms_keys: keys = {}, replica_regions = {} } = connection;
  const mixed = mixedNames(connection);
  if (mixed.length > 0) return mixed;
  return [
    ...regionProblems(replica_regions),
    ...locationProblems('replication_locations', locations),
    ...locationalKeyProblems(locations, keys),
    ...globalKeyProblems(connection),
  ];
}

function mixedNames(connection: Connection): readonly Problem[] {
  const { replication_locations = [], locational_kms_keys = {}, replica_regions = {} } = connection;
  const { kms_key_id, global_kms_key } = connection;
  const problems: Problem[] = [];
  const earlier = replication_locations.length > 0 || Object.keys(locational_kms_keys).length > 0;
  if (earlier && Object.keys(replica_regions).length > 0) {
    const rule = 'replica_regions replaces replication_locations and locational_kms_keys: set one or the other';
    problems.push(
      problemOf(['replica_regions', ...earlierNames.filter((name) => connection[name] !== undefined)], rule),
    );
  }
  if (kms_key_id !== undefined && global_kms_key !== undefined && kms_key_id !== global_kms_key) {
    const rule = 'kms_key_id and global_kms_key are the same setting: set one of them';
    problems.push(problemOf(['kms_key_id', 'global_kms_key'], rule));
  }
  return problems;
}

const earlierNames = ['replication_locations', 'locational_kms_keys'] as const;

function regionProblems(regions: Keys): readonly Problem[] {
  const keyless = Object.keys(regions).filter((region) => regions[region] === '');
  const mixed = keyless.length > 0 && keyless.length < Object.keys(regions).length;
  return [
    ...locationProblems('replica_regions', Object.keys(regions)),
    ...(mixed ? [keylessProblem('replica_regions', keyless)] : []),
    ...Object.entries(regions).flatMap(([region, key]) =>
      key === '' ? [] : keyProblems('replica_regions', key, region),
    ),
  ];
}

const keylessProblem = (field: string, locations: readonly string[]): Problem =>
  problemOf(
    field,
    `${field} has no key for ${locations.map(shown).join(', ')}: set a key for all locations or for none`,
  );

/** `global` means that the provider chooses the locations, so it cannot be the location of a replica. */
const location = /^(?!global$)[a-z][a-z0-9-]{1,62}$/;

function locationProblems(field: string, locations: readonly string[]): readonly Problem[] {
  const bad = locations.filter((name) => !location.test(name));
  const texts = bad.map((name) => `invalid ${field}: ${shown(name)} is not a location such as europe-west1`);
  if (new Set(locations).size < locations.length) texts.push(`invalid ${field}: a location is named twice`);
  if (locations.length > locationsMax) texts.push(`${field} takes at most ${locationsMax} locations`);
  return texts.map((text) => problemOf(field, text));
}

function locationalKeyProblems(locations: readonly string[], keys: Keys): readonly Problem[] {
  const named = Object.keys(keys);
  if (named.length === 0) return [];
  if (locations.length === 0) return [problemOf(earlierNames, 'locational_kms_keys needs replication_locations')];
  const strange = named.filter((location) => !locations.includes(location));
  const missing = locations.filter((location) => !named.includes(location));
  return [
    ...strange.map((location) =>
      problemOf(earlierNames, `locational_kms_keys: ${shown(location)} is not among replication_locations`),
    ),
    ...missing.map((location) => keylessProblem('locational_kms_keys', [location])),
    ...Object.entries(keys).flatMap(([location, key]) => keyProblems('locational_kms_keys', key, location)),
  ];
}

function globalKeyProblems(connection: Connection): readonly Problem[] {
  const { kms_key_id, global_kms_key, replica_regions = {}, replication_locations = [] } = connection;
  const field = kms_key_id === undefined ? 'global_kms_key' : 'kms_key_id';
  const key = kms_key_id ?? global_kms_key;
  if (key === undefined) return [];
  if (Object.keys(replica_regions).length > 0)
    return [
      problemOf(
        [field, 'replica_regions'],
        `${field} cannot be set with replica_regions: name the key of each location there`,
      ),
    ];
  if (replication_locations.length > 0)
    return [
      problemOf(
        [field, 'replication_locations'],
        `${field} cannot be set with replication_locations: use locational_kms_keys, or replica_regions`,
      ),
    ];
  if (Object.keys(connection.locational_kms_keys ?? {}).length > 0) return [];
  return keyProblems(field, key, 'global');
}

/** A key encrypts only in its own location. */
function keyProblems(field: string, key: string, location: string): readonly Problem[] {
  const own = /^projects\/[^/]+\/locations\/([^/]+)\/keyRings\/[^/]+\/cryptoKeys\/[^/]+$/.exec(key)?.[1];
  if (own === undefined) {
    const form = 'projects/PROJECT/locations/LOCATION/keyRings/RING/cryptoKeys/KEY';
    return [problemOf(field, `invalid ${field}: a key has the form ${form}`)];
  }
  if (own === location) return [];
  return [problemOf(field, `invalid ${field}: the key is in ${shown(own)} but must be in ${shown(location)}`)];
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 64));
