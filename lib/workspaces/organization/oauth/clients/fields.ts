import type { z } from 'zod';
import { flag, oneOf, text } from '../../../../path/jsonapi/fields.ts';
import { providerNames } from '../providers.ts';

const address = () => text(2_048).refine(isAddress, 'is not an http or https address without a user and a password');

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

/** What is stored and never read back; sealed. Clients send an empty one for none. */
const secret = () =>
  text(16_384)
    .nullable()
    .transform((given) => (given === '' ? null : given));

const changeable = {
  name: text(255).nullable(),
  key: text(1_024).nullable(),
  'rsa-public-key': text(16_384).nullable(),
  'organization-scoped': flag(),
  secret: secret(),
  'private-key': secret(),
  'oauth-token-string': secret(),
} as const;

/** Attributes of a client as a request gives them. Where a client is stays as it was made. */
export const updateFields = {
  ...changeable,
  // Clients send an empty one for a token that stays.
  'oauth-token-string': text(16_384).nullable(),
} as const;
export const createFields = {
  ...changeable,
  'service-provider': oneOf(providerNames),
  'http-url': address(),
  'api-url': address(),
} as const;

type Read<F extends Readonly<Record<string, z.ZodType>>> = { readonly [K in keyof F]?: z.output<F[K]> };
export type ClientChange = Read<typeof updateFields>;
export type NewClient = Read<typeof createFields>;
