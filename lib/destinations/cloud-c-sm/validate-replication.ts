// Beyond the usual files: the rules over locations and keys are as long as all others together.
import type { Connection } from './fields.ts';

/** Replicas of one secret. */
const locationsMax = 50;

type Keys = Readonly<Record<string, string>>;

/** Rules over locations and keys, in the newer and the earlier names. The two are never mixed: one would be lost silently. */
export function replicationProblems(connection: Connection): readonly string[] {
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

function mixedNames(connection: Connection): readonly string[] {
  const { replication_locations = [], locational_kms_keys = {}, replica_regions = {} } = connection;
  const { kms_key_id, global_kms_key } = connection;
  const problems: string[] = [];
  const earlier = replication_locations.length > 0 || Object.keys(locational_kms_keys).length > 0;
  if (earlier && Object.keys(replica_regions).length > 0) {
    problems.push(
      'replica_regions takes the place of replication_locations and locational_kms_keys: give one or the other',
    );
  }
  if (kms_key_id !== undefined && global_kms_key !== undefined && kms_key_id !== global_kms_key) {
    problems.push('kms_key_id and global_kms_key are the same setting: give one of them');
  }
  return problems;
}

function regionProblems(regions: Keys): readonly string[] {
  const keyless = Object.keys(regions).filter((region) => regions[region] === '');
  const mixed = keyless.length > 0 && keyless.length < Object.keys(regions).length;
  return [
    ...locationProblems('replica_regions', Object.keys(regions)),
    ...(mixed
      ? [`replica_regions has no key for ${keyless.map(shown).join(', ')}: all locations have a key, or none`]
      : []),
    ...Object.entries(regions).flatMap(([region, key]) =>
      key === '' ? [] : keyProblems('replica_regions', key, region),
    ),
  ];
}

/** `global` is where the provider chooses: it keeps no replica that somebody names. */
const location = /^(?!global$)[a-z][a-z0-9-]{1,62}$/;

function locationProblems(field: string, locations: readonly string[]): readonly string[] {
  const bad = locations.filter((name) => !location.test(name));
  const problems = bad.map((name) => `invalid ${field}: ${shown(name)} is not a location such as europe-west1`);
  if (new Set(locations).size < locations.length) problems.push(`invalid ${field}: a location is named twice`);
  if (locations.length > locationsMax) problems.push(`${field} takes at most ${locationsMax} locations`);
  return problems;
}

function locationalKeyProblems(locations: readonly string[], keys: Keys): readonly string[] {
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

function globalKeyProblems(connection: Connection): readonly string[] {
  const { kms_key_id, global_kms_key, replica_regions = {}, replication_locations = [] } = connection;
  const field = kms_key_id === undefined ? 'global_kms_key' : 'kms_key_id';
  const key = kms_key_id ?? global_kms_key;
  if (key === undefined) return [];
  if (Object.keys(replica_regions).length > 0)
    return [`${field} is not for replica_regions: name the key of each location there`];
  if (replication_locations.length > 0)
    return [`${field} is not for replication_locations: use locational_kms_keys, or replica_regions`];
  if (Object.keys(connection.locational_kms_keys ?? {}).length > 0) return [];
  return keyProblems(field, key, 'global');
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
