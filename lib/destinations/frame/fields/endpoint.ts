import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { text } from '#path/fields.ts';
import { form } from './form.ts';

/** Clients send unset options as empty texts. */
const given = (value: unknown) => (value === '' ? undefined : value);

const urlCharactersMax = 2_048;
/** The certificates of all public authorities have 220,000 characters. */
const certificatesCharactersMax = 262_144;

/**
 * The optional field `endpoint` of a type whose own address is `usual`: a base URL for private endpoints and stand-ins.
 * `name` and `what` define a field of the same form for another service that the type calls.
 */
export const endpointField = (usual: string, name = 'endpoint', what = 'the API', label = 'Endpoint') =>
  z
    .preprocess(given, text(urlCharactersMax).superRefine(refuseWith(name, endpointProblem)).optional())
    .optional()
    .meta({
      description: `Base URL of ${what}, for private endpoints. Default: ${usual}`,
      ...form(label, 'addresses'),
    });

/** The optional field `tls_ca_cert`. */
export const tlsCaCertField = () =>
  z
    .preprocess(
      given,
      text(certificatesCharactersMax).superRefine(refuseWith('tls_ca_cert', certificateProblem)).optional(),
    )
    .optional()
    .meta({
      description: 'PEM certificates of additional authorities to trust',
      ...form('CA certificates', 'addresses'),
      multiline: true,
    });

const refuseWith =
  (field: string, problemOf: (value: string) => string | undefined) =>
  (value: string, context: z.RefinementCtx): void => {
    const problem = problemOf(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: `invalid ${field}: ${problem}` });
  };

/** The base URL without a trailing slash. */
export const baseUrl = (endpoint: string): string => endpoint.replace(/\/+$/, '');

// The message does not contain the URL, because a password in it is a secret.
function endpointProblem(value: string): string | undefined {
  const url = URL.parse(value);
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    return 'must be a URL such as https://api.example.com';
  if (url.username !== '' || url.password !== '') return 'a user name or password is not allowed';
  return /[?#]/.test(value) ? 'a query or fragment is not allowed' : undefined;
}

function certificateProblem(value: string): string | undefined {
  const certificates = certificatesIn(value);
  if (certificates.length > 0 && certificates.every(isCertificate)) return undefined;
  return `must be certificates in PEM form (${begin})`;
}

const begin = '-----BEGIN CERTIFICATE-----';
const end = '-----END CERTIFICATE-----';

/** Linear in the length of the text. */
function certificatesIn(value: string): readonly string[] {
  const found: string[] = [];
  let from = value.indexOf(begin);
  while (from >= 0) {
    const last = value.indexOf(end, from);
    if (last < 0) break;
    found.push(value.slice(from, last + end.length));
    from = value.indexOf(begin, last);
  }
  return found;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
