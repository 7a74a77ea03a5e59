// Beyond the usual files: a secret may have replicas in other regions, which puts and removals must manage.
import {
  RemoveRegionsFromReplicationCommand,
  type ReplicaRegionType,
  ReplicateSecretToRegionsCommand,
} from '@aws-sdk/client-secrets-manager';
import type { Client } from '../client.ts';
import type { Connection } from '../fields/fields.ts';
import type { RemoteSecret } from '../look/look.ts';

type Wanted = Connection['replica_regions'];

export const toReplicas = (wanted: NonNullable<Wanted>): ReplicaRegionType[] =>
  Object.entries(wanted).map(([Region, key]) => (key === '' ? { Region } : { Region, KmsKeyId: key }));

type Present = Pick<RemoteSecret, 'replicaRegions' | 'replicaKeys'>;

/**
 * Adds and removes replicas as the field says; without the field they stay. The service cannot change the key of a replica, so a
 * replica with a key other than the field's is removed and created anew. Where the field names no key, a replica keeps its key.
 */
export async function changeReplicas(
  client: Client,
  name: string,
  wanted: Wanted,
  present: Present,
  signal: AbortSignal,
): Promise<void> {
  if (wanted === undefined) return;
  const { gone, added } = replicaChanges(wanted, present);
  await removeReplicas(client, name, gone, signal);
  if (added.length === 0) return;
  await client.call(
    signal,
    (sdk, options) =>
      sdk.send(new ReplicateSecretToRegionsCommand({ SecretId: name, AddReplicaRegions: added }), options),
    'replicate it',
  );
}

function replicaChanges(wanted: NonNullable<Wanted>, { replicaRegions, replicaKeys }: Present) {
  const otherKey = (region: string) => {
    const key = wanted[region] ?? '';
    return key !== '' && !isSameKey(key, replicaKeys[region] ?? '');
  };
  const gone = replicaRegions.filter((region) => !Object.hasOwn(wanted, region) || otherKey(region));
  const kept = replicaRegions.filter((region) => !gone.includes(region));
  return { gone, added: toReplicas(wanted).filter(({ Region = '' }) => !kept.includes(Region)) };
}

/** Whether `changeReplicas` would change anything. */
export function replicasDiffer(wanted: Wanted, present: Present): boolean {
  if (wanted === undefined) return false;
  const { gone, added } = replicaChanges(wanted, present);
  return gone.length > 0 || added.length > 0;
}

export async function removeReplicas(
  client: Client,
  name: string,
  regions: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (regions.length === 0) return;
  await client.call(
    signal,
    (sdk, options) =>
      sdk.send(
        new RemoveRegionsFromReplicationCommand({ SecretId: name, RemoveReplicaRegions: [...regions] }),
        options,
      ),
    'remove its replicas',
  );
}

/** The service may return the ARN of a key that was given by id or alias, and vice versa. */
export function isSameKey(one: string, other: string): boolean {
  const ends = (whole: string, part: string) => [':', '/'].some((before) => whole.endsWith(`${before}${part}`));
  return one === other || (one !== '' && other !== '' && (ends(one, other) || ends(other, one)));
}
