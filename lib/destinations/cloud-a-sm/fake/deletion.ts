import { z } from 'zod';
import type { Account, StoredSecret } from './account.ts';
import { Refused } from './answer.ts';
import { find, read } from './rules.ts';

const dayMs = 24 * 60 * 60_000;
const deletion = z.object({
  SecretId: z.string(),
  RecoveryWindowInDays: z.int().optional(),
  ForceDeleteWithoutRecovery: z.boolean().default(false),
});

export function deleteSecret(account: Account, body: unknown): object {
  const { SecretId, RecoveryWindowInDays: days, ForceDeleteWithoutRecovery: force } = read(deletion, body);
  if (force && days !== undefined) {
    const rule = "You can't use ForceDeleteWithoutRecovery in conjunction with RecoveryWindowInDays.";
    throw new Refused('InvalidParameterException', rule);
  }
  if (days !== undefined && (days < 7 || days > 30)) {
    throw new Refused(
      'InvalidParameterException',
      'RecoveryWindowInDays value must be between 7 and 30 days (inclusive).',
    );
  }
  const secret = find(account, SecretId);
  if (secret.replicas.size > 0) {
    throw new Refused('InvalidRequestException', "You can't delete secret that still has replica regions.");
  }
  return force ? erase(account, secret) : schedule(account, secret, days ?? 30);
}

/** The name stays taken for a while. */
function erase(account: Account, secret: StoredSecret): object {
  account.secrets.delete(secret.name);
  account.lingering.set(secret.name, account.lingerCalls);
  return { ARN: secret.arn, Name: secret.name, DeletionDate: account.now().getTime() / 1000 };
}

function schedule(account: Account, secret: StoredSecret, days: number): object {
  if (secret.deletedAt !== undefined) {
    const text = "You can't perform this operation on the secret because it was already scheduled for deletion.";
    throw new Refused('InvalidRequestException', text);
  }
  secret.deletedAt = new Date(account.now().getTime() + days * dayMs);
  return { ARN: secret.arn, Name: secret.name, DeletionDate: secret.deletedAt.getTime() / 1000 };
}

export function restoreSecret(account: Account, body: unknown): object {
  const secret = find(account, read(z.object({ SecretId: z.string() }), body).SecretId);
  secret.deletedAt = undefined;
  return { ARN: secret.arn, Name: secret.name };
}
