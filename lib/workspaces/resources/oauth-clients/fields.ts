import type { z } from 'zod';
import { flag, oneOf, text } from '#path/jsonapi/fields.ts';

/** Repository hosts: their names in the API and their display names. */
export const providers = {
  ado_server: 'Azure DevOps Server',
  ado_services: 'Azure DevOps Services',
  bitbucket_data_center: 'Bitbucket Data Center',
  bitbucket_hosted: 'Bitbucket Cloud',
  bitbucket_server: 'Bitbucket Server',
  github: 'GitHub',
  github_enterprise: 'GitHub Enterprise',
  gitlab_community_edition: 'GitLab Community Edition',
  gitlab_enterprise_edition: 'GitLab Enterprise Edition',
  gitlab_hosted: 'GitLab.com',
} as const;

type Provider = keyof typeof providers;

export const providerNames = Object.keys(providers) as [Provider, ...Provider[]];

const address = () => text(2_048).refine(isAddress, 'is not an http or https address without a user and a password');

function isAddress(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === '';
}

/** A secret: stored encrypted, never returned. Clients send an empty string for none. */
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

/** Attributes of a client that can be updated. Its provider and addresses cannot. */
export const updateFields = {
  ...changeable,
  // Clients send an empty string to keep the token.
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
