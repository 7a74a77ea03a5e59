import {
  constants,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
} from 'node:crypto';
import { promisify } from 'node:util';
import { badField } from '#core/errors.ts';

/**
 * The terms of a loan, in which an unsealed process sends the root key to a borrower: RSA-OAEP with SHA-256 (RFC 8017) to a key pair
 * that the borrower makes for a single request, so a replayed answer opens nothing. The label binds the loan to the installation and
 * to the number of its sealings (docs/decisions/0019).
 */
export interface LoanTerms {
  readonly clusterId: string;
  /** How often the installation has been sealed. */
  readonly seals: number;
}

export interface Loan extends LoanTerms {
  /** The root key, wrapped to the key of the borrower. */
  readonly wrapped: Buffer;
}

/** A key pair for one request. The private half never leaves this object. */
export interface LoanKey {
  /** In PEM, as sent in the request. */
  readonly publicKey: string;
  /** @throws Error when the loan was made for another key or under other terms */
  open(wrapped: Uint8Array, terms: LoanTerms): Buffer;
}

const modulusBits = 3_072;
const publicExponent = 65_537n;
/** Maximum length of the public key in PEM; a key of 3,072 bits has 625 characters. */
export const publicKeyCharactersMax = 2_048;

export async function newLoanKey(): Promise<LoanKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: modulusBits });
  return {
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    open: (wrapped, terms) => privateDecrypt({ key: privateKey, ...oaepOf(terms) }, wrapped),
  };
}

/** @throws AppError `bad-request` when `publicKey` is not a public key of the required kind */
export const wrapLoan = (rootKey: Uint8Array, publicKey: string, terms: LoanTerms): Buffer =>
  publicEncrypt({ key: readPublicKey(publicKey), ...oaepOf(terms) }, rootKey);

function readPublicKey(text: string): KeyObject {
  const key = publicKeyOf(text);
  const details = key?.asymmetricKeyType === 'rsa' ? key.asymmetricKeyDetails : undefined;
  if (key !== undefined && details?.modulusLength === modulusBits && details.publicExponent === publicExponent)
    return key;
  throw badField(
    'public_key',
    `'public_key' must be an RSA public key of ${modulusBits} bits with the exponent 65537, in PEM`,
  );
}

/** Undefined when the text is not a public key. A private key is refused too: sending one is a mistake that must not go unnoticed. */
function publicKeyOf(text: string): KeyObject | undefined {
  if (!/^\s*-----BEGIN PUBLIC KEY-----/.test(text)) return undefined;
  try {
    return createPublicKey(text);
  } catch {
    return undefined;
  }
}

const oaepOf = ({ clusterId, seals }: LoanTerms) => ({
  padding: constants.RSA_PKCS1_OAEP_PADDING,
  oaepHash: 'sha256',
  oaepLabel: Buffer.from(`keyferry/loan/1/${clusterId}/${seals}`),
});
