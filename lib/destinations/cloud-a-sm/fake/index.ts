import { randomUUID } from 'node:crypto';
import type { Fake, FakeObject, Fault, StartFake } from '../../fake.ts';
import { newFaults } from '../../frame/fake/faults.ts';
import { type Account, accountId, addKey, addVersion, newAccount, newSecret, region, staged } from './account.ts';
import { serveAccount } from './server.ts';

/** A stand-in for AWS Secrets Manager and STS: one account in one region. */
export interface CloudASmFake extends Fake {
  /** A request body whose role is assumed with the external id that its trust policy requires. */
  readonly roleDestination: Readonly<Record<string, unknown>>;
  /** A secret by its name, also one that is scheduled for deletion, which `objects()` leaves out. */
  secret(name: string): SecretView | undefined;
  /** Like `fail`, for calls of one operation. */
  failOf(operation: string, fault: Fault): void;
  /** Denies these operations; operations that were denied before are permitted again. */
  deny(...operations: string[]): void;
  /** From now on this many creations fail after a deletion without a recovery window, because the name is still taken. */
  linger(calls: number): void;
  /** Deletes a secret behind our back, with a recovery window. */
  schedule(name: string): void;
  /** Restores a deleted secret within its recovery window, behind our back. */
  restore(name: string): void;
  tag(name: string, tags: Readonly<Record<string, string>>): void;
  /** Sets the provider's clock ahead of ours, so that recovery windows and sessions end. */
  shiftClock(milliseconds: number): void;
}

export interface SecretView {
  /** All versions, oldest first. */
  readonly versions: readonly { readonly id: string; readonly value: string; readonly stages: readonly string[] }[];
  readonly deletedAt: Date | undefined;
  readonly kmsKeyId: string | undefined;
  readonly replicas: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

export const startFake = (async ({ port = 0 } = {}): Promise<CloudASmFake> => {
  const account = newAccount();
  const faults = newFaults();
  const calls = new Map<string, number>();
  const served = await serveAccount(account, faults, calls, port);
  const url = `http://127.0.0.1:${served.port}`;
  return {
    url,
    ...destinationsOf(account, url, served.port),
    objects: () => objectsOf(account),
    seed: (name, value) => seed(account, name, value),
    change: (name, value) => void addVersion(account, present(account, name), value),
    calls: () => new Map(calls),
    fail: (fault) => faults.set(fault),
    failOf: (operation, fault) => faults.set(fault, operation),
    heal: faults.heal,
    limit: faults.limit,
    close: served.close,
    secret: (name) => viewOf(account, name),
    ...leversOf(account),
  };
}) satisfies StartFake;

function destinationsOf(account: Account, url: string, port: number) {
  const { id, secret } = addKey(account, 'AKIA', { arn: `arn:aws:iam::${accountId}:user/keyferry` });
  const role = { arn: `arn:aws:iam::${accountId}:role/keyferry-sync`, externalId: randomUUID() };
  account.roles.set(role.arn, role);
  const destination = {
    access_key_id: id,
    secret_access_key: secret,
    region,
    endpoint: url,
    sts_endpoint: url,
    allowed_ipv4_addresses: ['127.0.0.0/8'],
    allowed_ports: [port],
  };
  return { destination, roleDestination: { ...destination, role_arn: role.arn, external_id: role.externalId } };
}

function objectsOf(account: Account): ReadonlyMap<string, FakeObject> {
  const live = [...account.secrets.values()].filter(({ deletedAt }) => deletedAt === undefined);
  return new Map(
    live.map((secret): [string, FakeObject] => [
      secret.name,
      { value: staged(secret, 'AWSCURRENT')?.value ?? '', tags: Object.fromEntries(secret.tags) },
    ]),
  );
}

function seed(account: Account, name: string, value: string): void {
  const secret = newSecret(account, name);
  addVersion(account, secret, value);
  account.secrets.set(name, secret);
}

function present(account: Account, name: string) {
  const secret = account.secrets.get(name);
  if (secret === undefined) throw new Error(`the stand-in has no secret ${name}`);
  return secret;
}

function viewOf(account: Account, name: string): SecretView | undefined {
  const secret = account.secrets.get(name);
  if (secret === undefined) return undefined;
  return {
    versions: secret.versions.map(({ id, value, stages }) => ({ id, value, stages: [...stages] })),
    deletedAt: secret.deletedAt,
    kmsKeyId: secret.kmsKeyId,
    replicas: Object.fromEntries(secret.replicas),
    tags: Object.fromEntries(secret.tags),
  };
}

const windowMs = 30 * 24 * 60 * 60_000;

function leversOf(account: Account) {
  return {
    deny(...operations: string[]) {
      account.denied.clear();
      for (const operation of operations) account.denied.add(operation);
    },
    linger(calls: number) {
      account.lingerCalls = calls;
    },
    restore(name: string) {
      const secret = account.secrets.get(name);
      if (secret !== undefined) secret.deletedAt = undefined;
    },
    schedule(name: string) {
      const secret = account.secrets.get(name);
      if (secret !== undefined) secret.deletedAt = new Date(account.now().getTime() + windowMs);
    },
    tag(name: string, tags: Readonly<Record<string, string>>) {
      for (const [key, value] of Object.entries(tags)) account.secrets.get(name)?.tags.set(key, value);
    },
    shiftClock(milliseconds: number) {
      account.clockAheadMs = milliseconds;
    },
  };
}
