import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What a login by browser remembers between its requests. It is stored sealed. */
export const pendingLogin = z.strictObject({
  /** Name of the role. */
  role: z.string(),
  /** The provider and client that the user was sent to. A changed configuration ends the login. */
  issuer: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  /** The client polls for its token. */
  polled: z.boolean(),
  /** Claim of the ID token. */
  nonce: z.string(),
  /** The secret of PKCE, which only this server knows. */
  verifier: z.string(),
  /** Empty when the client sent none. */
  clientNonce: z.string(),
  /** What the provider posted. */
  posted: z.strictObject({ code: z.string(), idToken: z.string() }).optional(),
  /** The user, once the provider has answered. */
  person: z
    .strictObject({
      alias: z.string(),
      metadata: z.record(z.string(), z.string()).readonly(),
      groups: z.array(z.string()).readonly(),
    })
    .optional(),
  device: z.strictObject({ code: z.string(), seconds: z.number() }).optional(),
});

export type PendingLogin = z.infer<typeof pendingLogin>;

/** Whether two texts are the same, without revealing where they differ. */
export const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The S256 challenge of a PKCE verifier (RFC 7636). */
export const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');
