import { type Account, expire, type StoredSecret } from './account.ts';
import { Refused } from './answer.ts';

/** By name or ARN. */
export function find(account: Account, id: string): StoredSecret {
  expire(account);
  const found = account.secrets.get(id) ?? [...account.secrets.values()].find(({ arn }) => arn === id);
  if (found !== undefined) return found;
  throw new Refused('ResourceNotFoundException', "Secrets Manager can't find the specified secret.");
}

export const scheduled = (): Refused =>
  new Refused(
    'InvalidRequestException',
    "You can't perform this operation on the secret because it was marked for deletion.",
  );
