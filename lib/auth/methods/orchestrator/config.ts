import { createPublicKey, X509Certificate } from 'node:crypto';
import { badRequest } from '../../../core/errors.ts';
import { bool, type Input, text, textList } from '../../../path/fields.ts';

const pemCharactersMax = 1_000_000;
const tokenCharactersMax = 32_768;
const keysMax = 100;

/** Specification, section 2.7. A write replaces all of it. */
export const configFields = {
  orchestrator_host: text(2_048).default('').meta({ description: 'Address of the orchestrator’s API', routes: true }),
  orchestrator_ca_cert: text(pemCharactersMax)
    .default('')
    .meta({ description: 'PEM certificates that the API is trusted by; default: those beside the server' }),
  token_reviewer_jwt: text(tokenCharactersMax).default('').meta({
    description: 'Token that reviews are asked for with; default: the one beside the server, or that of the login',
    sensitive: true,
  }),
  pem_keys: textList()
    .refine((keys) => keys.length <= keysMax, `expected at most ${keysMax} keys`)
    .default([])
    .meta({ description: 'PEM public keys or certificates that JWTs are checked with before the review' }),
  issuer: text(2_048).default('').meta({ description: 'Who issues the JWTs; deprecated' }),
  disable_iss_validation: bool().default(true).meta({ description: 'The issuer of a JWT may be anybody' }),
  disable_local_ca_jwt: bool().default(false).meta({ description: 'What is beside the server is not used' }),
  use_annotations_as_alias_metadata: bool()
    .default(false)
    .meta({ description: 'Annotations of the service account become metadata of its alias' }),
};

/** The configuration of a mount, as it is kept. */
export type OrchestratorConfig = Input<typeof configFields>;

/**
 * What is to be said of a configuration. `hasLocalCa`: there are certificates beside the server.
 *
 * @throws AppError `bad-request` when it cannot be used
 */
export function configWarnings(config: OrchestratorConfig, hasLocalCa: boolean): readonly string[] {
  const { orchestrator_host: host, orchestrator_ca_cert: certificates, pem_keys: keys } = config;
  if (host === '') throw badRequest('no host provided');
  if (config.disable_local_ca_jwt && certificates === '')
    throw badRequest((word) => `${word('orchestrator_ca_cert')} must be given when disable_local_ca_jwt is true`);
  const url = URL.parse(host);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw badRequest((word) => `${word('orchestrator_host')} has to be an address such as https://10.0.0.1:6443`);
  return [
    ...(url.protocol === 'http:' ? ['the host is called without encryption: tokens can be read on the way'] : []),
    ...(certificates === '' || isCertificate(certificates) ? [] : ['the CA certificate cannot be read']),
    ...(certificates === '' && !hasLocalCa ? [noCa] : []),
    ...keys.flatMap((key, index) =>
      publicKey(key) === undefined ? [`pem_keys: key ${index + 1} cannot be read`] : [],
    ),
  ];
}

const noCa =
  'no CA certificate is given and there is none beside the server: until one is, every login is answered with 502';

/** A key in PEM, by itself or in a certificate; undefined: it cannot be read. */
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

/** As reads answer it: without the token, and the names that clients know beside those of the specification. */
export function shownConfig({ token_reviewer_jwt: token, ...config }: OrchestratorConfig): object {
  return {
    ...config,
    kubernetes_host: config.orchestrator_host,
    kubernetes_ca_cert: config.orchestrator_ca_cert,
    token_reviewer_jwt_set: token !== '',
  };
}
