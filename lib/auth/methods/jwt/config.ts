import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { atMost, type Input, text, textList } from '#path/fields.ts';
import { partialJsonOf } from '#store/sql/kinds.ts';
import { storedAs } from '#store/sql/stored.ts';
import { browserFields, checkBrowserSettings, unstoredFields } from './browser-settings.ts';
import { publicKey } from './public-key.ts';

const pemCharactersMax = 1_000_000;
const urlCharactersMax = 2_048;
const sourcesMax = 32;
const url = () => text(urlCharactersMax).default('');
const pem = () => text(pemCharactersMax).default('');

const storedFields = {
  oidc_discovery_url: url().meta({ description: 'URL of an OpenID provider, whose discovery document names its keys' }),
  oidc_discovery_ca_pem: pem().meta({
    description: 'PEM certificates to trust for that URL; default: those of the system',
  }),
  jwks_url: url().meta({ description: 'URL of a key set' }),
  jwks_ca_pem: pem().meta({ description: 'PEM certificates to trust for that URL; default: those of the system' }),
  jwks_pairs: z
    .array(z.object({ jwks_url: text(urlCharactersMax), jwks_ca_pem: pem() }))
    .max(sourcesMax, atMost(sourcesMax, 'entries'))
    .default([])
    .meta({ description: 'URLs of several key sets, each with its certificates' }),
  jwt_validation_pubkeys: textList()
    .refine((keys) => keys.length <= sourcesMax, `expected at most ${sourcesMax} keys`)
    .default([])
    .meta({ description: 'PEM public keys that verify tokens' }),
  bound_issuer: text(urlCharactersMax).default('').meta({ description: 'Required value of the claim iss' }),
  jwt_supported_algs: textList()
    .default([])
    .meta({ description: 'Accepted signature algorithms; default: all with public keys' }),
  default_role: text(512).default('').meta({ description: 'Role of logins that name none' }),
  ...browserFields,
};

/** A write replaces the whole configuration, except where a field says that it is kept. */
export const configFields = { ...storedFields, ...unstoredFields };

/** The stored configuration of a mount. */
export type JwtConfig = Input<typeof storedFields>;

const config = z.strictObject(storedFields);
const emptyConfig: JwtConfig = { namespace_in_state: undefined, ...config.parse({}) };
const storedJwtConfig = partialJsonOf(config);

/** A stored configuration with defaults for settings of later releases. */
export const storedConfig = (given: object): JwtConfig => ({ ...emptyConfig, ...storedAs(storedJwtConfig, given) });

/** What a write stores. */
export function configAfter(
  before: object | undefined,
  { provider_config: _, ...input }: Input<typeof configFields>,
): JwtConfig {
  const former = before === undefined ? true : (storedConfig(before).namespace_in_state ?? false);
  return { ...input, namespace_in_state: input.namespace_in_state ?? former };
}

/** Algorithms with public keys. Signatures with a shared key, and unsigned tokens, are never accepted. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'EdDSA'];

/** @throws AppError `bad-request` for an invalid configuration */
export function checkConfig(config: JwtConfig): void {
  const sources = [
    config.jwt_validation_pubkeys.length > 0,
    config.jwks_url !== '',
    config.jwks_pairs.length > 0,
    config.oidc_discovery_url !== '',
  ];
  if (sources.filter(Boolean).length !== 1) {
    throw badField(
      ['jwt_validation_pubkeys', 'jwks_url', 'jwks_pairs', 'oidc_discovery_url'],
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url', 'jwks_pairs' or 'oidc_discovery_url' must be set",
    );
  }
  if (config.oidc_discovery_ca_pem !== '' && config.oidc_discovery_url === '')
    throw badField(
      ['oidc_discovery_ca_pem', 'oidc_discovery_url'],
      "'oidc_discovery_ca_pem' needs 'oidc_discovery_url'",
    );
  if (config.jwks_ca_pem !== '' && config.jwks_url === '')
    throw badField(['jwks_ca_pem', 'jwks_url'], "'jwks_ca_pem' needs 'jwks_url'");
  checkBrowserSettings(config);
  mustBeUrl('oidc_discovery_url', config.oidc_discovery_url);
  mustBeUrl('jwks_url', config.jwks_url);
  for (const pair of config.jwks_pairs) mustBeUrl('jwks_url', pair.jwks_url, 'jwks_pairs');
  const unsupported = config.jwt_supported_algs.find((algorithm) => !algorithms.includes(algorithm));
  if (unsupported !== undefined)
    throw badField('jwt_supported_algs', `unsupported signing algorithm: ${JSON.stringify(unsupported)}`);
  const unread = config.jwt_validation_pubkeys.findIndex((key) => publicKey(key) === undefined);
  if (unread >= 0)
    throw badField('jwt_validation_pubkeys', `error parsing public key: key ${unread + 1} is not a public key in PEM`);
}

function mustBeUrl(name: 'oidc_discovery_url' | 'jwks_url', given: string, field: string = name): void {
  if (given === '') return;
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== '' || address.hash !== '')
    throw badField(field, `'${name}' has to be a URL such as https://login.example.com`);
}

/** As clients read it: without the client secret, and with a member that clients expect. */
export function shownConfig({
  oidc_client_secret: _,
  namespace_in_state: inState = false,
  ...config
}: JwtConfig): object {
  return { ...config, namespace_in_state: inState, provider_config: {} };
}
