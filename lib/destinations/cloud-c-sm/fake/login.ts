import { createPublicKey, generateKeyPairSync, type KeyObject, randomBytes, verify } from 'node:crypto';
import { z } from 'zod';
import type { Answer, Question } from '../../frame/fake/rest.ts';
import { problem } from './answer.ts';

/** One service account with one key. */
export interface Authority {
  /** Its JSON key. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Undefined when the bearer token is valid. */
  refuse(question: Question): Answer | undefined;
}

/** The audience or scope that a self-signed token must have. */
const audience = 'https://secretmanager.googleapis.com/';
const scope = 'https://www.googleapis.com/auth/cloud-platform';
const lifetimeSecondsMax = 3600;

export const unauthenticated: Answer = problem(
  'UNAUTHENTICATED',
  'Request had invalid authentication credentials. Expected OAuth 2 access token.',
);

export function newAuthority(projectId: string): Authority {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const publicKey = createPublicKey(privateKey);
  const email = `keyferry@${projectId}.iam.gserviceaccount.com`;
  const keyId = randomBytes(20).toString('hex');
  const credentials = {
    type: 'service_account',
    project_id: projectId,
    private_key_id: keyId,
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    client_email: email,
    token_uri: 'https://oauth2.googleapis.com/token',
    universe_domain: 'googleapis.com',
  };
  return {
    credentials,
    refuse({ headers }) {
      const token = /^Bearer (.+)$/.exec(String(headers['authorization'] ?? ''))?.[1] ?? '';
      return isGood(token, { publicKey, keyId, email }) ? undefined : unauthenticated;
    },
  };
}

interface Expected {
  readonly publicKey: KeyObject;
  readonly keyId: string;
  readonly email: string;
}

const headerShape = z.object({ alg: z.literal('RS256'), kid: z.string() });
const claimsShape = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string().optional(),
  scope: z.string().optional(),
  iat: z.number(),
  exp: z.number(),
});

/** Checks a token that a service account signed itself: https://google.aip.dev/auth/4111 */
function isGood(token: string, { publicKey, keyId, email }: Expected): boolean {
  const [head = '', payload = '', signature = ''] = token.split('.');
  const header = headerShape.safeParse(decode(head));
  const claims = claimsShape.safeParse(decode(payload));
  if (!header.success || !claims.success || header.data.kid !== keyId) return false;
  const { iss, sub, aud, scope: scopes, iat, exp } = claims.data;
  const now = Date.now() / 1000;
  const isFor = aud === audience || scopes?.split(' ').includes(scope) === true;
  if (iss !== email || sub !== email || !isFor || exp <= now || exp - iat > lifetimeSecondsMax) return false;
  return verify('RSA-SHA256', Buffer.from(`${head}.${payload}`), publicKey, Buffer.from(signature, 'base64url'));
}

function decode(part: string): unknown {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString());
  } catch {
    return undefined;
  }
}
