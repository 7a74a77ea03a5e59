import type { DestinationDefinition } from '#destinations/contract.ts';

/** Words in field names that concern the protection of a copy: its encryption key, its locations, its readers. */
const protecting: ReadonlySet<string> = new Set(
  [
    'kms cmk cmek byok hsm sse key keys keyring',
    'encrypt encrypted encryption encrypter envelope ciphertext',
    'replica replicas replicate replicated replication regions locations residency',
    'protect protected protection visibility sensitive policy acl',
  ].flatMap((words) => words.split(' ')),
);

/** Phrases with such a word that mean something else: a login, or an address. */
const others: readonly RegExp[] = [
  /\b(access|secret|private|public|api|ssh|signing|token|account|client|sub) keys?\b/g,
  /\bkey vault\b/g,
];

/** Splits a name into words: `kmsKeyId`, `KMS_KEY_ID` and `kms-key-id` all give `kms key id`. */
const wordsOf = (name: string): string =>
  name
    .slice(0, nameLengthMax)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .toLowerCase();

/** No field has a longer name. */
const nameLengthMax = 128;

/** Whether a field of this name would concern the protection of a copy. */
export function isProtective(name: string): boolean {
  const words = others.reduce((rest, phrase) => rest.replace(phrase, ' '), wordsOf(name));
  return words.split(' ').some((word) => protecting.has(word));
}

/**
 * Refuses unknown fields that concern protection, because their sender would believe the copies to be protected. Other unknown
 * fields are ignored with a warning. Empty values ask for nothing and are accepted.
 */
export const refusesUnprotected =
  ({ type }: Pick<DestinationDefinition, 'type'>) =>
  (name: string, value: unknown): string | undefined => {
    if (isEmpty(value) || !isProtective(name)) return undefined;
    return `unknown field ${JSON.stringify(name.slice(0, nameLengthMax))}: type ${type} does not offer this protection, so the copies would be without it; leave it out, or see ?help=1 for the known fields`;
  };

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
