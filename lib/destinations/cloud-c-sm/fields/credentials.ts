// Beyond the usual files: the credentials are a document, which the API checks and the login reads.
import { createPrivateKey } from 'node:crypto';
import { z } from 'zod';
import { baseUrl } from '../../frame/fields/endpoint.ts';

/** The members of a service account's JSON key that are used. Its URLs (`token_uri` and others) are ignored. */
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

/** The path of `@path`, or undefined when the text holds the credentials themselves. */
export const fileOf = (credentials: string): string | undefined =>
  credentials.startsWith('@') ? credentials.slice(1) : undefined;

/**
 * Why credentials in a file may not be used at this endpoint, or undefined when they may. The file belongs to the operator, and
 * tokens signed with it are valid at the provider for an hour, so they must not reach an endpoint that a user of the API chose.
 */
export function refuseFileAt(endpoint: string | undefined, allowed: readonly string[]): string | undefined {
  if (endpoint === undefined || isProviders(endpoint)) return undefined;
  if (allowed.some((one) => baseUrl(one) === baseUrl(endpoint))) return undefined;
  return 'credentials from a file are used only at https addresses below googleapis.com and at those of KEYFERRY_CREDENTIALS_ENDPOINTS: with another endpoint, send the key itself';
}

function isProviders(endpoint: string): boolean {
  const url = URL.parse(endpoint);
  return url?.protocol === 'https:' && url.hostname.endsWith('.googleapis.com');
}

/**
 * Parses the JSON key of a service account. Other kinds of credentials are refused, because they name URLs to call and programs to
 * run. A text as result describes the problem without quoting the content.
 */
export function parseCredentials(json: string): ServiceAccount | string {
  const content = parseJson(json);
  if (content === undefined) return 'they are not JSON';
  const parsed = serviceAccount.safeParse(content);
  if (parsed.success) return parsed.data;
  const members = new Set(parsed.error.issues.map((issue) => String(issue.path[0] ?? 'the whole')));
  return `they are not the JSON key of a service account (check ${[...members].join(', ')})`;
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
 * Credentials name their cloud (universe), and the SDK calls that one. A universe other than the public one is accepted only if
 * `endpoint` is in it, so that a pasted key alone cannot decide where assertions signed with it go. The provider's own clients
 * require the same: https://google.aip.dev/auth/4110, "universe domain". Returns the problem, or undefined.
 */
export function universeProblem(universe: string | undefined, endpoint: string | undefined): string | undefined {
  if (universe === undefined || universe === usualUniverse) return undefined;
  const host = endpoint === undefined ? undefined : URL.parse(endpoint)?.hostname;
  if (host !== undefined && (host === universe || host.endsWith(`.${universe}`))) return undefined;
  return `their universe_domain is not ${usualUniverse}: set endpoint to the address of the service in that universe (https://secretmanager.<universe_domain>)`;
}
