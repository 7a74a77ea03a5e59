import { z } from 'zod';
import { type Account, expire, type StoredSecret } from './account.ts';
import { Refused } from './answer.ts';
import { checkTags, find, read, replicaList, scheduled, tagList } from './rules.ts';

const byId = z.object({ SecretId: z.string() });
const seconds = (date: Date): number => date.getTime() / 1000;

/** Versions without a label are not shown. */
export function describeSecret(account: Account, body: unknown): object {
  const secret = find(account, read(byId, body).SecretId);
  return {
    ...described(secret),
    ...(secret.replicas.size > 0 && { ReplicationStatus: replication(secret) }),
    VersionIdsToStages: stagesOf(secret),
  };
}

function stagesOf({ versions }: StoredSecret): object {
  const labelled = versions.filter(({ stages }) => stages.size > 0);
  return Object.fromEntries(labelled.map(({ id, stages }) => [id, [...stages]]));
}

const listing = z.object({
  IncludePlannedDeletion: z.boolean().default(false),
  MaxResults: z.int().min(1).max(100).default(100),
  NextToken: z.string().regex(/^\d+$/).default('0'),
  Filters: z
    .array(z.object({ Key: z.literal('name'), Values: z.array(z.string().max(512)).min(1) }))
    .max(10)
    .default([]),
});

export function listSecrets(account: Account, body: unknown): object {
  const { IncludePlannedDeletion, MaxResults, NextToken, Filters } = read(listing, body);
  expire(account);
  // A filter by name compares the beginning, and any of its values may match.
  const shown = [...account.secrets.values()].filter(
    ({ name, deletedAt }) =>
      (IncludePlannedDeletion || deletedAt === undefined) &&
      Filters.every(({ Values }) => Values.some((value) => name.startsWith(value))),
  );
  const from = Number(NextToken);
  const next = from + MaxResults;
  return {
    SecretList: shown
      .slice(from, next)
      .map((secret) => ({ ...described(secret), SecretVersionsToStages: stagesOf(secret) })),
    ...(next < shown.length && { NextToken: String(next) }),
  };
}

function described(secret: StoredSecret): object {
  return {
    ARN: secret.arn,
    Name: secret.name,
    CreatedDate: seconds(secret.createdAt),
    LastChangedDate: seconds(secret.changedAt),
    ...(secret.deletedAt !== undefined && { DeletedDate: seconds(secret.deletedAt) }),
    ...(secret.kmsKeyId !== undefined && { KmsKeyId: secret.kmsKeyId }),
    Tags: [...secret.tags].map(([Key, Value]) => ({ Key, Value })),
  };
}

export function tagResource(account: Account, body: unknown): object {
  const { SecretId, Tags } = read(z.object({ SecretId: z.string(), Tags: tagList }), body);
  const secret = live(account, SecretId);
  checkTags(Tags, [...secret.tags.keys()]);
  for (const { Key, Value } of Tags) secret.tags.set(Key, Value);
  return {};
}

export function untagResource(account: Account, body: unknown): object {
  const { SecretId, TagKeys } = read(z.object({ SecretId: z.string(), TagKeys: z.array(z.string()) }), body);
  const secret = live(account, SecretId);
  for (const key of TagKeys) secret.tags.delete(key);
  return {};
}

export function replicateSecretToRegions(account: Account, body: unknown): object {
  const input = read(z.object({ SecretId: z.string(), AddReplicaRegions: replicaList.min(1) }), body);
  const secret = live(account, input.SecretId);
  for (const { Region, KmsKeyId } of input.AddReplicaRegions) {
    if (secret.replicas.has(Region)) {
      throw new Refused('InvalidParameterException', `The secret is already replicated to ${Region}.`);
    }
    secret.replicas.set(Region, KmsKeyId);
  }
  return { ARN: secret.arn, ReplicationStatus: replication(secret) };
}

export function removeRegionsFromReplication(account: Account, body: unknown): object {
  const input = read(z.object({ SecretId: z.string(), RemoveReplicaRegions: z.array(z.string()).min(1) }), body);
  const secret = live(account, input.SecretId);
  for (const region of input.RemoveReplicaRegions) secret.replicas.delete(region);
  return { ARN: secret.arn, ReplicationStatus: replication(secret) };
}

const replication = ({ replicas }: StoredSecret) =>
  [...replicas].map(([Region, key]) => ({ Region, Status: 'InSync', ...(key !== '' && { KmsKeyId: key }) }));

function live(account: Account, id: string): StoredSecret {
  const secret = find(account, id);
  if (secret.deletedAt !== undefined) throw scheduled();
  return secret;
}
