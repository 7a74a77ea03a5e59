import { z } from 'zod';
import { type Account, expire, type StoredSecret } from './account.ts';
import { Refused } from './answer.ts';

/** Documented limits of the service: https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html */
const valueBytesMax = 65_536;
export const tagsMax = 50;
export const versionsMax = 100;

export const tagList = z.array(z.object({ Key: z.string(), Value: z.string().default('') }));
export const replicaList = z.array(z.object({ Region: z.string(), KmsKeyId: z.string().default('') }));

/** Parses a body. @throws Refused with the service's own text when a field has the wrong type */
export function read<Shape extends z.ZodType>(shape: Shape, body: unknown): z.output<Shape> {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0] ?? 'body');
  throw new Refused(
    'ValidationException',
    `1 validation error detected: Value at '${field}' failed to satisfy constraint`,
  );
}

export function checkName(name: string): void {
  if (name.length < 1 || name.length > 512) throw constraint('name', 'Member must have length between 1 and 512');
  if (!/^[A-Za-z0-9/_+=.@!-]+$/.test(name)) {
    const allowed = 'Must be a valid name containing alphanumeric characters, or any of the following: -/_+=.@!';
    throw new Refused('ValidationException', `Invalid name. ${allowed}`);
  }
}

export function checkValue(value: string): void {
  const bytes = Buffer.byteLength(value);
  if (bytes < 1) throw constraint('secretString', 'Member must have length greater than or equal to 1');
  if (bytes > valueBytesMax)
    throw constraint('secretString', `Member must have length less than or equal to ${valueBytesMax}`);
}

export function checkToken(token: string): void {
  if (token.length >= 32 && token.length <= 64) return;
  throw new Refused('InvalidParameterException', 'ClientRequestToken must be 32-64 characters long.');
}

/** `present`: the keys that the secret already has. */
export function checkTags(tags: z.output<typeof tagList>, present: readonly string[]): void {
  const keys = tags.map(({ Key }) => Key);
  if (new Set(keys).size < keys.length) throw new Refused('InvalidParameterException', 'Duplicate tag keys found.');
  if (new Set([...present, ...keys]).size > tagsMax) {
    throw new Refused('InvalidParameterException', `A secret can have at most ${tagsMax} tags.`);
  }
  for (const { Key, Value } of tags) {
    if (/^aws:/i.test(Key)) throw new Refused('InvalidParameterException', 'Tag keys must not start with aws:');
    if (Key.length < 1 || Key.length > 128 || !tagText.test(Key)) throw constraint('tags', 'Tag key is not valid');
    if (Value.length > 256 || !tagText.test(Value)) throw constraint('tags', 'Tag value is not valid');
  }
}

const tagText = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

function constraint(field: string, rule: string): Refused {
  return new Refused(
    'ValidationException',
    `1 validation error detected: Value at '${field}' failed to satisfy constraint: ${rule}`,
  );
}

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
