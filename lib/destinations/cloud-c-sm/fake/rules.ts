import { z } from 'zod';

/** https://cloud.google.com/secret-manager/docs/reference/rest/v1/projects.secrets#Replication */
const encryption = { customerManagedEncryption: z.object({ kmsKeyName: z.string().min(1) }).optional() };
const replicas = z
  .array(z.object({ location: z.string().regex(/^[a-z]+-[a-z]+\d+$/), ...encryption }))
  .min(1)
  .refine((all) => new Set(all.map(({ location }) => location)).size === all.length)
  .refine((all) => new Set(all.map((replica) => replica.customerManagedEncryption === undefined)).size === 1);

const policyShape = z.union([
  z.strictObject({ automatic: z.strictObject(encryption) }),
  z.strictObject({ userManaged: z.strictObject({ replicas }) }),
]);

export type ReplicationPolicy = z.output<typeof policyShape>;

/** A key must be in the location where it encrypts. */
export const replicationShape = policyShape.refine((policy) =>
  replicasOf(policy).every(({ location, key }) => key === undefined || key.split('/')[3] === location),
);

const keyOf = (encrypted: { customerManagedEncryption?: { kmsKeyName: string } | undefined }): string | undefined =>
  encrypted.customerManagedEncryption?.kmsKeyName;

/** The locations of a policy, and the key of each. */
export function replicasOf(policy: ReplicationPolicy) {
  if ('automatic' in policy) return [{ location: 'global', key: keyOf(policy.automatic) }];
  return policy.userManaged.replicas.map((replica) => ({ location: replica.location, key: keyOf(replica) }));
}

/** Whether two policies have the same locations, which cannot be changed; keys can. */
export function isKeptWhere(policy: ReplicationPolicy, other: ReplicationPolicy): boolean {
  const locations = (one: ReplicationPolicy) =>
    JSON.stringify(
      replicasOf(one)
        .map(({ location }) => location)
        .sort(),
    );
  return locations(policy) === locations(other);
}

const labelsMax = 64;

export function labelsProblem(labels: Readonly<Record<string, string>>): string | undefined {
  if (Object.keys(labels).length > labelsMax) return `No more than ${labelsMax} labels can be assigned to a resource.`;
  const bad = Object.entries(labels).find(([key, value]) => !isKey(key) || !isValue(value));
  return bad === undefined ? undefined : `The label ${bad[0]} is not valid.`;
}

const isKey = (key: string): boolean => /^[\p{Ll}\p{Lo}][\p{Ll}\p{Lo}\p{N}_-]{0,62}$/u.test(key);
const isValue = (value: string): boolean => /^[\p{Ll}\p{Lo}\p{N}_-]{0,63}$/u.test(value);
