import { verify } from 'node:crypto';
import { z } from 'zod';
import { type Answer, badCredentials, problem } from './answer.ts';
import { type Host, hostNow } from './host.ts';

const jwtLifeSecondsMax = 10 * 60;
/** The host tolerates small differences between clocks. */
const leewaySeconds = 60;

/** Undefined when the token of the request may read and write secrets. */
export function refuseToken(host: Host, authorization: string): Answer | undefined {
  const token = authorization.replace(/^(token|bearer) /i, '');
  if (token === host.personalToken) return undefined;
  const endsAt = host.installationTokens.get(token);
  return endsAt !== undefined && hostNow(host) < endsAt ? undefined : badCredentials;
}

const claims = z.object({ iat: z.int(), exp: z.int(), iss: z.coerce.number() });

/** Undefined when the request is signed by the app. */
export function refuseJwt(host: Host, authorization: string): Answer | undefined {
  const [header = '', payload = '', signature = '', ...rest] = authorization.replace(/^bearer /i, '').split('.');
  if (signature === '' || rest.length > 0) return problem(401, 'A JSON web token could not be decoded');
  const signed = Buffer.from(`${header}.${payload}`);
  if (!verify('RSA-SHA256', signed, host.app.publicKeyPem, Buffer.from(signature, 'base64url'))) {
    return problem(401, 'A JSON web token could not be decoded');
  }
  const parsed = claims.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
  return parsed.success ? refuseClaims(host, parsed.data) : problem(401, 'A JSON web token could not be decoded');
}

/** The wording matters: the client's SDK recognises a wrong clock by it. */
function refuseClaims(host: Host, { iat, exp, iss }: z.output<typeof claims>): Answer | undefined {
  const nowSeconds = hostNow(host).getTime() / 1000;
  if (iss !== host.app.appId) return problem(404, 'Integration not found');
  if (iat > nowSeconds + leewaySeconds) {
    return problem(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (exp > nowSeconds + jwtLifeSecondsMax + leewaySeconds) {
    return problem(401, "'Expiration time' claim ('exp') is too far in the future");
  }
  if (exp > nowSeconds) return undefined;
  return problem(
    401,
    "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
  );
}
