// Beyond the usual files: the credentials are a document, which the API checks and the login reads.
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { baseUrl } from '../frame/fields/endpoint.ts';

/** What is used of a service account's JSON key. Its URLs (`token_uri` and others) are not. */
const serviceAccount = z.object({
  type: z.literal('service_account'),
  client_email: z.string().min(1),
  private_key: z.string().refine(isPrivateKey),
  private_key_id: z.string().optional(),
  project_id: z.string().optional(),
  universe_domain: z
    .string()
    .regex(/^[a-z0-9.-]+$/)
    .optional(),
});

export type ServiceAccount = z.output<typeof serviceAccount>;

/** The path of `@path`; undefined: the text is the credentials themselves. */
export const fileOf = (credentials: string): string | undefined =>
  credentials.startsWith('@') ? credentials.slice(1) : undefined;

/**
 * Why credentials in a file may not be used at this endpoint. The file belongs to the operator, and what is signed with it is
 * good at the provider for an hour: whoever names an endpoint of his own must not get it there.
 */
export function refuseFileAt(endpoint: string | undefined, allowed: readonly string[]): string | undefined {
  if (endpoint === undefined || isProviders(endpoint)) return undefined;
  if (allowed.some((one) => baseUrl(one) === baseUrl(endpoint))) return undefined;
  return 'those of a file are used at https addresses below googleapis.com only, and at those of KEYFERRY_CREDENTIALS_ENDPOINTS: with another endpoint, send the key itself';
}

function isProviders(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  return url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com');
}

/**
 * Only keys of service accounts are taken: other kinds of credentials name URLs to ask and programs to run. A text as result says
 * what is wrong; it repeats nothing of the content.
 */
export function parseCredentials(json: string): ServiceAccount | string {
  const content = parseJson(json);
  if (content === undefined) return 'they are not JSON';
  const parsed = serviceAccount.safeParse(content);
  if (parsed.success) return parsed.data;
  const members = new Set(parsed.error.issues.map((issue) => String(issue.path[0] ?? 'the whole')));
  return `they are not the JSON key of a service account (look at ${[...members].join(', ')})`;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The parser's message quotes the text.
    return undefined;
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export const usualUniverse = 'googleapis.com';

/**
 * Credentials name the cloud (universe) that they are for, and the SDK goes by it. Another one than the public one is taken
 * only where `endpoint` is in it: who pastes a key does not choose by that where assertions signed with it go. Undefined: fine.
 * The provider's own clients demand the same: https://google.aip.dev/auth/4110, "universe domain".
 */
export function universeProblem(universe: string | undefined, endpoint: string | undefined): string | undefined {
  if (universe === undefined || universe === usualUniverse) return undefined;
  const host = endpoint === undefined ? undefined : URL.parse(endpoint)?.hostname;
  if (host !== undefined && (host === universe || host.endsWith(`.${universe}`))) return undefined;
  return `their universe_domain is not ${usualUniverse}: set endpoint to the address of the service in that universe (https://secretmanager.<universe_domain>)`;
}
