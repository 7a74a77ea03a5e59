import { randomBytes, randomUUID } from 'node:crypto';

export const region = 'us-east-1';
export const accountId = '111122223333';

/** What a request is signed with. */
export interface AccessKey {
  readonly secret: string;
  /** Set for the session of an assumed role. */
  readonly sessionToken?: string;
  readonly endsAt?: Date;
  readonly arn: string;
}

export interface StoredVersion {
  readonly id: string;
  readonly value: string;
  readonly stages: Set<string>;
  readonly createdAt: Date;
}

export interface StoredSecret {
  readonly name: string;
  readonly arn: string;
  readonly createdAt: Date;
  changedAt: Date;
  deletedAt: Date | undefined;
  kmsKeyId: string | undefined;
  readonly versions: StoredVersion[];
  readonly tags: Map<string, string>;
  /** KMS keys by region; an empty text means the default key. */
  readonly replicas: Map<string, string>;
}

export interface Role {
  readonly arn: string;
  /** The trust policy requires it. */
  readonly externalId: string;
}

/** One account in one region. */
export interface Account {
  readonly secrets: Map<string, StoredSecret>;
  /** Names of secrets that were deleted without a recovery window, with the number of creations that are still refused. */
  readonly lingering: Map<string, number>;
  readonly keys: Map<string, AccessKey>;
  readonly roles: Map<string, Role>;
  /** Operations that the policy of the credentials does not allow. */
  readonly denied: Set<string>;
  /** How many creations fail after a deletion without a recovery window. */
  lingerCalls: number;
  now(): Date;
  clockAheadMs: number;
}

export function newAccount(): Account {
  const account: Account = {
    secrets: new Map(),
    lingering: new Map(),
    keys: new Map(),
    roles: new Map(),
    denied: new Set(),
    lingerCalls: 0,
    clockAheadMs: 0,
    now: () => new Date(Date.now() + account.clockAheadMs),
  };
  return account;
}

export function addKey(account: Account, prefix: 'AKIA' | 'ASIA', key: Omit<AccessKey, 'secret'>) {
  const id = `${prefix}${randomBytes(8).toString('hex').toUpperCase()}`;
  const secret = randomBytes(30).toString('base64');
  account.keys.set(id, { ...key, secret });
  return { id, secret };
}

export function newSecret(account: Account, name: string): StoredSecret {
  const suffix = randomBytes(4).toString('base64url').replace(/[-_]/g, 'x').slice(0, 6);
  const at = account.now();
  return {
    name,
    arn: `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${suffix}`,
    createdAt: at,
    changedAt: at,
    deletedAt: undefined,
    kmsKeyId: undefined,
    versions: [],
    tags: new Map(),
    replicas: new Map(),
  };
}

/** The version that carries a staging label. */
export const staged = (secret: StoredSecret, stage: string): StoredVersion | undefined =>
  secret.versions.find((version) => version.stages.has(stage));

/** Adds a version and moves the labels: AWSCURRENT to it, AWSPREVIOUS to the one that was current. */
export function addVersion(
  account: Account,
  secret: StoredSecret,
  value: string,
  id: string = randomUUID(),
): StoredVersion {
  const before = staged(secret, 'AWSCURRENT');
  if (before !== undefined) {
    for (const version of secret.versions) version.stages.delete('AWSPREVIOUS');
    before.stages.delete('AWSCURRENT');
    before.stages.add('AWSPREVIOUS');
  }
  const version = { id, value, stages: new Set(['AWSCURRENT']), createdAt: account.now() };
  secret.versions.push(version);
  secret.changedAt = version.createdAt;
  return version;
}

/** Erases the secrets whose recovery window has ended. */
export function expire(account: Account): void {
  for (const [name, { deletedAt }] of account.secrets) {
    if (deletedAt !== undefined && deletedAt <= account.now()) account.secrets.delete(name);
  }
}
