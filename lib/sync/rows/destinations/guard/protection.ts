import type { DestinationDefinition } from '../../../../destinations/contract.ts';

/** Words of field names that say how a copy is protected: with whose key, in which locations, by whom it may be read. */
const protecting: ReadonlySet<string> = new Set([
  ...['kms', 'cmk', 'cmek', 'byok', 'hsm', 'sse', 'key', 'keys', 'keyring'],
  ...['encrypt', 'encrypted', 'encryption', 'encrypter', 'envelope', 'ciphertext'],
  ...['replica', 'replicas', 'replicate', 'replicated', 'replication', 'regions', 'locations', 'residency'],
  ...['protect', 'protected', 'protection', 'visibility', 'sensitive', 'policy', 'acl'],
]);

/** Phrases with such a word that name something else: a login, or an address. */
const others: readonly RegExp[] = [
  /\b(access|secret|private|public|api|ssh|signing|token|account|client|sub) keys?\b/g,
  /\bkey vault\b/g,
];

/** `kmsKeyId`, `KMS_KEY_ID` and `kms-key-id` are the words `kms key id`. */
const wordsOf = (name: string): string =>
  name
    .slice(0, nameLengthMax)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();

/** Longer names are no field's. */
const nameLengthMax = 128;

/** Whether a field of this name would say how a copy is protected. */
export function isProtective(name: string): boolean {
  const words = others.reduce((rest, phrase) => rest.replace(phrase, ' '), wordsOf(name));
  return words.split(' ').some((word) => protecting.has(word));
}

/**
 * Why a field that the type does not have is refused: whoever sends it takes the copies for protected by it. Other unknown
 * fields are ignored with a warning. What is empty asks for nothing.
 */
export const refusesUnprotected =
  ({ type }: Pick<DestinationDefinition, 'type'>) =>
  (name: string, value: unknown): string | undefined => {
    if (isEmpty(value) || !isProtective(name)) return undefined;
    return `unknown field ${JSON.stringify(name.slice(0, nameLengthMax))}: type ${type} has no such protection of secrets, so the copies would be without it; leave it out, or see ?help=1 for what there is`;
  };

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
