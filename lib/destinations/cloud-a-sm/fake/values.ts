import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { type Account, addVersion, newSecret, type StoredSecret, type StoredVersion, staged } from './account.ts';
import { Refused } from './answer.ts';
import {
  checkName,
  checkTags,
  checkToken,
  checkValue,
  find,
  read,
  replicaList,
  scheduled,
  tagList,
  versionsMax,
} from './rules.ts';

const creation = z.object({
  Name: z.string(),
  SecretString: z.string(),
  ClientRequestToken: z.string().default(() => randomUUID()),
  Tags: tagList.default([]),
  KmsKeyId: z.string().optional(),
  AddReplicaRegions: replicaList.default([]),
});

export function createSecret(account: Account, body: unknown): object {
  const input = read(creation, body);
  checkName(input.Name);
  checkValue(input.SecretString);
  checkToken(input.ClientRequestToken);
  checkTags(input.Tags, []);
  const present = account.secrets.get(input.Name);
  if (present !== undefined) return repeated(present, input);
  refuseWhileLingering(account, input.Name);
  const secret = newSecret(account, input.Name);
  account.secrets.set(input.Name, secret);
  addVersion(account, secret, input.SecretString, input.ClientRequestToken);
  secret.kmsKeyId = input.KmsKeyId;
  for (const { Key, Value } of input.Tags) secret.tags.set(Key, Value);
  for (const { Region, KmsKeyId } of input.AddReplicaRegions) secret.replicas.set(Region, KmsKeyId);
  return answerFor(secret, input.ClientRequestToken);
}

/** A repeated creation changes nothing; any other is refused because the name is taken. */
function repeated(secret: StoredSecret, input: z.output<typeof creation>): object {
  if (secret.deletedAt !== undefined) throw nameScheduled();
  const known = secret.versions.find(({ id }) => id === input.ClientRequestToken);
  if (known?.value === input.SecretString) return answerFor(secret, known.id);
  throw new Refused(
    'ResourceExistsException',
    `The operation failed because the secret ${secret.name} already exists.`,
  );
}

function refuseWhileLingering(account: Account, name: string): void {
  const left = account.lingering.get(name) ?? 0;
  if (left <= 0) return;
  account.lingering.set(name, left - 1);
  throw nameScheduled();
}

const nameScheduled = () =>
  new Refused(
    'InvalidRequestException',
    "You can't create this secret because a secret with this name is already scheduled for deletion.",
  );

const putting = z.object({
  SecretId: z.string(),
  SecretString: z.string(),
  ClientRequestToken: z.string().default(() => randomUUID()),
});

export function putSecretValue(account: Account, body: unknown): object {
  const input = read(putting, body);
  const secret = find(account, input.SecretId);
  const version = write(account, secret, input.SecretString, input.ClientRequestToken);
  return { ...answerFor(secret, version.id), VersionStages: [...version.stages] };
}

const updating = z.object({
  SecretId: z.string(),
  SecretString: z.string().optional(),
  ClientRequestToken: z.string().default(() => randomUUID()),
  KmsKeyId: z.string().optional(),
});

export function updateSecret(account: Account, body: unknown): object {
  const input = read(updating, body);
  const secret = find(account, input.SecretId);
  if (input.KmsKeyId !== undefined) secret.kmsKeyId = input.KmsKeyId;
  if (input.SecretString === undefined) return { ARN: secret.arn, Name: secret.name };
  return answerFor(secret, write(account, secret, input.SecretString, input.ClientRequestToken).id);
}

/** A known token with the same value changes nothing; with another value it is refused, because versions are immutable. */
function write(account: Account, secret: StoredSecret, value: string, token: string): StoredVersion {
  checkValue(value);
  checkToken(token);
  if (secret.deletedAt !== undefined) throw scheduled();
  const known = secret.versions.find(({ id }) => id === token);
  if (known === undefined) {
    dropOldVersion(account, secret);
    return addVersion(account, secret, value, token);
  }
  if (known.value === value) return known;
  const text = "You can't modify an existing version, you can only create new ones: the version";
  throw new Refused('ResourceExistsException', `${text} ${token} already exists.`);
}

const keptMs = 24 * 60 * 60_000;

/** Drops a version without a label once there are too many, but none that is younger than 24 hours. */
function dropOldVersion(account: Account, secret: StoredSecret): void {
  if (secret.versions.length < versionsMax) return;
  const old = secret.versions.findIndex(
    ({ stages, createdAt }) => stages.size === 0 && account.now().getTime() - createdAt.getTime() > keptMs,
  );
  if (old < 0)
    throw new Refused('LimitExceededException', 'The request failed because it would exceed the version quota.');
  secret.versions.splice(old, 1);
}

const getting = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.string().optional(),
});

export function getSecretValue(account: Account, body: unknown): object {
  const { SecretId, VersionId, VersionStage = 'AWSCURRENT' } = read(getting, body);
  const secret = find(account, SecretId);
  if (secret.deletedAt !== undefined) throw scheduled();
  const byId = secret.versions.find(({ id }) => id === VersionId);
  const version = VersionId === undefined ? staged(secret, VersionStage) : byId;
  if (version === undefined) {
    throw new Refused('ResourceNotFoundException', "Secrets Manager can't find the specified secret value.");
  }
  const CreatedDate = version.createdAt.getTime() / 1000;
  return {
    ...answerFor(secret, version.id),
    SecretString: version.value,
    VersionStages: [...version.stages],
    CreatedDate,
  };
}

const answerFor = ({ arn, name }: StoredSecret, version: string) => ({ ARN: arn, Name: name, VersionId: version });
