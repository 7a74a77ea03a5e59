import { createPublicKey, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { badField } from '#core/errors.ts';
import { bool, type Input, text, textList } from '#path/fields.ts';
import { partialJsonOf } from '#store/sql/kinds.ts';
import { storedAs } from '#store/sql/stored.ts';

const pemCharactersMax = 1_000_000;
const tokenCharactersMax = 32_768;
const keysMax = 100;

/** The body of `config`. A write replaces the whole configuration. */
export const configFields = {
  orchestrator_host: text(2_048).default('').meta({ description: 'URL of the API of the orchestrator', routes: true }),
  orchestrator_ca_cert: text(pemCharactersMax)
    .default('')
    .meta({ description: 'PEM certificates to trust for the API; default: those in the pod of the server' }),
  token_reviewer_jwt: text(tokenCharactersMax).default('').meta({
    description: 'Token for token reviews; default: the one in the pod of the server, or that of the login',
    sensitive: true,
  }),
  pem_keys: textList()
    .refine((keys) => keys.length <= keysMax, `expected at most ${keysMax} keys`)
    .default([])
    .meta({ description: 'PEM public keys or certificates that verify JWTs before the review' }),
  issuer: text(2_048).default('').meta({ description: 'Issuer of the JWTs; deprecated' }),
  disable_iss_validation: bool().default(true).meta({ description: 'Accept JWTs of any issuer' }),
  disable_local_ca_jwt: bool()
    .default(false)
    .meta({ description: 'Do not use the token and the certificates in the pod of the server' }),
  use_annotations_as_alias_metadata: bool()
    .default(false)
    .meta({ description: 'Use annotations of the service account as metadata of its alias' }),
};

/** The stored configuration of a mount. */
export type OrchestratorConfig = Input<typeof configFields>;

const config = z.strictObject(configFields);
const emptyConfig: OrchestratorConfig = config.parse({});
const storedOrchestratorConfig = partialJsonOf(config);

/** A stored configuration with defaults for settings of later releases. */
export const storedConfig = (given: object): OrchestratorConfig => ({
  ...emptyConfig,
  ...storedAs(storedOrchestratorConfig, given),
});

/**
 * Warnings about a configuration.
 *
 * @param hasLocalCa whether the pod of the server has certificates
 * @throws AppError `bad-request` for an invalid configuration
 */
export function configWarnings(config: OrchestratorConfig, hasLocalCa: boolean): readonly string[] {
  const { orchestrator_host: host, orchestrator_ca_cert: certificates, pem_keys: keys } = config;
  if (host === '') throw badField('orchestrator_host', 'no host provided');
  if (config.disable_local_ca_jwt && certificates === '')
    throw badField(
      'orchestrator_ca_cert',
      (word) => `${word('orchestrator_ca_cert')} must be given when disable_local_ca_jwt is true`,
    );
  const url = URL.parse(host);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw badField(
      'orchestrator_host',
      (word) => `${word('orchestrator_host')} has to be a URL such as https://10.0.0.1:6443`,
    );
  return [
    ...(url.protocol === 'http:' ? ['the host is called without encryption, which exposes tokens on the network'] : []),
    ...(certificates === '' || isCertificate(certificates) ? [] : ['the CA certificate cannot be parsed']),
    ...(certificates === '' && !hasLocalCa ? [noCa] : []),
    ...keys.flatMap((key, index) =>
      publicKey(key) === undefined ? [`pem_keys: key ${index + 1} cannot be read`] : [],
    ),
  ];
}

const noCa =
  'there is no CA certificate, neither configured nor in the pod of the server: every login fails with 502 until there is one';

/** A key in PEM, or that of a certificate. Undefined when it cannot be parsed. */
export function publicKey(pem: string) {
  try {
    return createPublicKey(pem);
  } catch {
    return undefined;
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}

/** The configuration as clients read it, without the token. */
export function shownConfig({ token_reviewer_jwt: token, ...config }: OrchestratorConfig): object {
  return {
    ...config,
    kubernetes_host: config.orchestrator_host,
    kubernetes_ca_cert: config.orchestrator_ca_cert,
    token_reviewer_jwt_set: token !== '',
  };
}
