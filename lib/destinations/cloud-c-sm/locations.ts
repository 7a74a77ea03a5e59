import type { Connection } from './fields.ts';

/** Locations with the key of each, or an empty text: by the newer name or the earlier ones. Empty: the provider chooses. */
export function keysOf(connection: Connection): Readonly<Record<string, string>> {
  const { replica_regions = {}, replication_locations = [], locational_kms_keys: keys = {} } = connection;
  if (Object.keys(replica_regions).length > 0) return replica_regions;
  return Object.fromEntries(replication_locations.map((location) => [location, keys[location] ?? '']));
}

/** The key where the provider chooses the locations. */
export const globalKeyOf = ({ kms_key_id, global_kms_key }: Connection): string | undefined =>
  kms_key_id ?? global_kms_key;

/** Locations are fixed with the first secret, whatever name they were given by. */
export const fixed = (connection: Connection) => ({
  'replica_regions (or replication_locations)': Object.keys(keysOf(connection)).sort(),
});
