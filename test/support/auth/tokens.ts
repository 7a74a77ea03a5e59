import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

/** Signs tokens, as an issuer does. */
export interface Issuer {
  readonly algorithm: string;
  readonly keyId: string;
  readonly publicKey: CryptoKey;
  /** The public key in PEM. */
  readonly pem: string;
  readonly jwk: object;
  sign(claims: JWTPayload, header?: object): Promise<string>;
}

export async function newIssuer(algorithm = 'ES256', keyId = 'one'): Promise<Issuer> {
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return {
    algorithm,
    keyId,
    publicKey,
    pem: await exportSPKI(publicKey),
    jwk: { ...(await exportJWK(publicKey)), kid: keyId, alg: algorithm, use: 'sig' },
    sign: (claims, header = {}) =>
      new SignJWT(claims).setProtectedHeader({ alg: algorithm, kid: keyId, ...header }).sign(privateKey),
  };
}

/** The time this many seconds from now, in seconds since the epoch. */
export const inSeconds = (seconds: number): number => Math.floor(Date.now() / 1_000) + seconds;

/** A token with these parts and an arbitrary text as its signature. */
export const forged = (header: object, claims: object, signature = ''): string =>
  `${encoded(header)}.${encoded(claims)}.${signature}`;

const encoded = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
