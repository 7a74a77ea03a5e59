import { z } from 'zod';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import { flag, notBlank, text } from '#path/jsonapi/fields.ts';

/** Clients of the family send the name of the engine; `engine` means the same. */
const category = z
  .enum(['terraform', 'engine', 'env', 'policy-set'], 'must be "terraform" (or "engine") or "env"')
  .refine((value) => value !== 'policy-set', 'policy-set is for sets of policies')
  .transform((value): Category => (value === 'env' ? 'env' : 'terraform'));

export type Category = 'terraform' | 'env';

const valueBytesMax = 256 * 1024;
const keyCharactersMax = 256;

/** Attributes of a variable in a request. */
export const variableFields = {
  key: text(keyCharactersMax).min(1, notBlank),
  value: z
    .string('must be a string')
    .refine((value) => Buffer.byteLength(value) <= valueBytesMax, `is too large (maximum is ${valueBytesMax} bytes)`)
    .nullable(),
  description: text(512).nullable(),
  category,
  hcl: flag().nullable(),
  sensitive: flag().nullable(),
};

/** A variable without its value. */
export interface VariableSettings {
  readonly key: string;
  readonly description: string;
  readonly category: Category;
  readonly hcl: boolean;
  readonly sensitive: boolean;
}

const keyForms: Readonly<Record<Category, RegExp>> = {
  terraform: /^[\p{L}\p{N}_][\p{L}\p{N}_-]*$/u,
  env: /^[^=\s\u0000-\u001f\u007f]+$/,
};

/** @throws ApiError 422 for a key that is invalid in the category */
export function mustBeKey({ key, category }: Pick<VariableSettings, 'key' | 'category'>): void {
  if (keyForms[category].test(key)) return;
  const rule =
    category === 'env'
      ? 'must not contain "=", spaces or control characters'
      : 'may have letters, digits, "_" and "-" only';
  throw invalidAttribute('key', `Key ${rule}`);
}
