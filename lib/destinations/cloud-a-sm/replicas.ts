// Beyond the usual files: a secret may have copies in other regions, which a put and a removal bring in line.
import {
  RemoveRegionsFromReplicationCommand,
  type ReplicaRegionType,
  ReplicateSecretToRegionsCommand,
} from '@aws-sdk/client-secrets-manager';
import type { Client } from './client.ts';
import type { Connection } from './fields.ts';
import type { RemoteSecret } from './look.ts';

type Wanted = Connection['replica_regions'];

export const toReplicas = (wanted: NonNullable<Wanted>): ReplicaRegionType[] =>
  Object.entries(wanted).map(([Region, key]) => (key === '' ? { Region } : { Region, KmsKeyId: key }));

type Present = Pick<RemoteSecret, 'replicaRegions' | 'replicaKeys'>;

/**
 * Brings the regions in line with the field; without it they stay. The service changes no key of a replica, so a replica with
 * another key than the field names is taken away and made anew. Where the field names no key, a replica keeps its own.
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

/** The service may answer the ARN of a key that was given by its id or alias, and the other way round. */
export function isSameKey(one: string, other: string): boolean {
  const ends = (whole: string, part: string) => [':', '/'].some((before) => whole.endsWith(`${before}${part}`));
  return one === other || (one !== '' && other !== '' && (ends(one, other) || ends(other, one)));
}
