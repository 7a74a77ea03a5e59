import { decodeJwt, decodeProtectedHeader } from 'jose';
import { z } from 'zod';
import { AppError } from '#core/errors.ts';

/** The claims of a service-account token before its verification. */
export interface ServiceAccount {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The secret of a legacy token; empty for others. */
  readonly secretName: string;
  readonly issuer: string;
}

/** Algorithms of service-account tokens, all with public keys. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Allowed difference of clocks. */
const leewaySeconds = 60;

/** A name in the orchestrator, which becomes part of a URL. */
const name = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/);
const seconds = z.number().optional();
const common = { iss: z.string().default(''), exp: seconds, nbf: seconds };

/** Tokens of pods. */
const projected = z.object({
  ...common,
  'kubernetes.io': z.object({
    namespace: name,
    serviceaccount: z.object({ name, uid: z.string().min(1).max(253) }),
  }),
});

/** Legacy tokens, which are stored in a secret. */
const kept = z.object({
  ...common,
  'kubernetes.io/serviceaccount/namespace': name,
  'kubernetes.io/serviceaccount/service-account.name': name,
  'kubernetes.io/serviceaccount/service-account.uid': z.string().min(1).max(253),
  'kubernetes.io/serviceaccount/secret.name': z.string().max(253).default(''),
});

/**
 * Reads a token without checking its signature.
 *
 * @throws AppError `permission-denied` when it is not the token of a service account, or not valid at this time
 */
export function readAccount(jwt: string, now: Date): ServiceAccount {
  const { header, claims } = decoded(jwt);
  if (!algorithms.includes(String(header.alg))) throw refused('the algorithm of the JWT is not accepted');
  const found = accountOf(claims);
  if (found === undefined) throw refused('the JWT does not belong to a service account');
  const at = now.getTime() / 1_000;
  if (found.exp !== undefined && at > found.exp + leewaySeconds) throw refused('the JWT has expired');
  if (found.nbf !== undefined && at < found.nbf - leewaySeconds) throw refused('the JWT is not valid yet');
  return found.account;
}

/** A 403 with the reason why the token is refused. */
export const refused = (text: string): AppError => new AppError('permission-denied', text);

function decoded(jwt: string) {
  try {
    return { header: decodeProtectedHeader(jwt), claims: decodeJwt(jwt) };
  } catch {
    throw refused('the JWT cannot be parsed');
  }
}

function accountOf(claims: object) {
  const bound = projected.safeParse(claims);
  if (bound.success) {
    const { iss: issuer, exp, nbf, 'kubernetes.io': about } = bound.data;
    const { namespace, serviceaccount } = about;
    return { exp, nbf, account: { namespace, ...serviceaccount, secretName: '', issuer } };
  }
  const old = kept.safeParse(claims);
  if (!old.success) return undefined;
  const of = (claim: 'namespace' | 'service-account.name' | 'service-account.uid' | 'secret.name'): string =>
    old.data[`kubernetes.io/serviceaccount/${claim}`];
  const account: ServiceAccount = {
    namespace: of('namespace'),
    name: of('service-account.name'),
    uid: of('service-account.uid'),
    secretName: of('secret.name'),
    issuer: old.data.iss,
  };
  return { exp: old.data.exp, nbf: old.data.nbf, account };
}
