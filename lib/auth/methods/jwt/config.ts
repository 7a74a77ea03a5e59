import { z } from 'zod';
import { badRequest } from '../../../core/errors.ts';
import { type Input, text, textList } from '../../../path/fields.ts';
import { publicKey } from './verify/static-keys.ts';

const pemCharactersMax = 1_000_000;
const urlCharactersMax = 2_048;
const sourcesMax = 32;
const url = () => text(urlCharactersMax).default('');
const pem = () => text(pemCharactersMax).default('');

/** A write replaces all of it. Nothing of it is a secret. */
export const configFields = {
  oidc_discovery_url: url().meta({ description: 'Address of a provider that says where its keys are' }),
  oidc_discovery_ca_pem: pem().meta({ description: 'PEM certificates that it is trusted by; default: the system’s' }),
  jwks_url: url().meta({ description: 'Address of a set of keys' }),
  jwks_ca_pem: pem().meta({ description: 'PEM certificates that it is trusted by; default: the system’s' }),
  jwks_pairs: z
    .array(z.object({ jwks_url: text(urlCharactersMax), jwks_ca_pem: pem() }))
    .max(sourcesMax)
    .default([])
    .meta({ description: 'Several addresses of sets of keys, each with its certificates' }),
  jwt_validation_pubkeys: textList()
    .refine((keys) => keys.length <= sourcesMax, `expected at most ${sourcesMax} keys`)
    .default([])
    .meta({ description: 'PEM public keys that tokens are signed with' }),
  bound_issuer: text(urlCharactersMax).default('').meta({ description: 'The claim iss that tokens have to have' }),
  jwt_supported_algs: textList()
    .default([])
    .meta({ description: 'Algorithms of signatures; default: all of public keys' }),
  default_role: text(512).default('').meta({ description: 'The role of logins that name none' }),
};

/** The configuration of a mount, as it is kept. */
export type JwtConfig = Input<typeof configFields>;

/** Signatures that a public key checks. One by a shared key, or none, is never accepted. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'EdDSA'];

/** @throws AppError `bad-request` when it cannot be used */
export function checkConfig(config: JwtConfig): void {
  const sources = [
    config.jwt_validation_pubkeys.length > 0,
    config.jwks_url !== '',
    config.jwks_pairs.length > 0,
    config.oidc_discovery_url !== '',
  ];
  if (sources.filter(Boolean).length !== 1) {
    throw badRequest(
      "exactly one of 'jwt_validation_pubkeys', 'jwks_url', 'jwks_pairs' or 'oidc_discovery_url' must be set",
    );
  }
  if (config.oidc_discovery_ca_pem !== '' && config.oidc_discovery_url === '')
    throw badRequest("'oidc_discovery_ca_pem' needs 'oidc_discovery_url'");
  if (config.jwks_ca_pem !== '' && config.jwks_url === '') throw badRequest("'jwks_ca_pem' needs 'jwks_url'");
  mustBeAddress('oidc_discovery_url', config.oidc_discovery_url);
  for (const address of [config.jwks_url, ...config.jwks_pairs.map((pair) => pair.jwks_url)])
    mustBeAddress('jwks_url', address);
  const strange = config.jwt_supported_algs.find((algorithm) => !algorithms.includes(algorithm));
  if (strange !== undefined) throw badRequest(`unsupported signing algorithm: ${JSON.stringify(strange)}`);
  const unread = config.jwt_validation_pubkeys.findIndex((key) => publicKey(key) === undefined);
  if (unread >= 0) throw badRequest(`error parsing public key: key ${unread + 1} is no public key in PEM`);
}

function mustBeAddress(name: string, given: string): void {
  if (given === '') return;
  const address = URL.parse(given);
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== '' || address.hash !== '')
    throw badRequest(`'${name}' has to be an address such as https://login.example.com`);
}

/** Fields of logins by a browser, which clients expect to read. */
const ofBrowsers = {
  oidc_client_id: '',
  oidc_response_mode: '',
  oidc_response_types: [],
  namespace_in_state: false,
  provider_config: {},
};

export const shownConfig = (config: JwtConfig): object => ({ ...ofBrowsers, ...config });
