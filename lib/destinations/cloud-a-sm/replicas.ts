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

/** Brings the regions in line with the field; without it they stay. The key of a replica that is there stays too. */
export async function changeReplicas(
  client: Client,
  name: string,
  wanted: Wanted,
  { replicaRegions }: RemoteSecret,
  signal: AbortSignal,
): Promise<void> {
  if (wanted === undefined) return;
  await removeReplicas(
    client,
    name,
    replicaRegions.filter((region) => !(region in wanted)),
    signal,
  );
  const added = toReplicas(wanted).filter(({ Region = '' }) => !replicaRegions.includes(Region));
  if (added.length === 0) return;
  await client.call(`replicate secret ${name}`, signal, (sdk, options) =>
    sdk.send(new ReplicateSecretToRegionsCommand({ SecretId: name, AddReplicaRegions: added }), options),
  );
}

export async function removeReplicas(
  client: Client,
  name: string,
  regions: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  if (regions.length === 0) return;
  await client.call(`remove replicas of secret ${name}`, signal, (sdk, options) =>
    sdk.send(new RemoveRegionsFromReplicationCommand({ SecretId: name, RemoveReplicaRegions: [...regions] }), options),
  );
}
