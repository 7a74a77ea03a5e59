import type { Vocabulary } from './row.ts';
import { typeNames } from './type-names.ts';

/**
 * The names that existing clients of the API family use for things the specification names otherwise: the only such
 * table, into which each destination type brings its alias. Left is the canonical name, right the alias. A name that is not
 * in the table is the same in both.
 */
const types: Names = { ...typeNames, orchestrator: 'kubernetes' };
const statuses: Names = { INTERNAL_ERROR: 'INTERNAL_VAULT_ERROR' };
const fieldNames: Names = {
  orchestrator_host: 'kubernetes_host',
  orchestrator_ca_cert: 'kubernetes_ca_cert',
  'engine-version': 'terraform-version',
  'vcs-app-installation-id': 'github-app-installation-id',
};
/** Whole texts, some of which clients compare. Only for errors that are these texts and nothing else. */
const texts: Names = {
  'the service is already initialized': 'Vault is already initialized',
  'the service is not initialized': 'Vault is not initialized',
  'the service is unsealed': 'vault is unsealed',
};
const sealedTexts = { canonical: 'Service is sealed', alias: 'Vault is sealed' } satisfies Record<Vocabulary, string>;

type Names = Readonly<Record<string, string>>;

const reversed = (names: Names): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([canonical, alias]) => [alias, canonical]));
const canonicalTypes = reversed(types);
const canonicalFields = reversed(fieldNames);
const words: Names = { ...types, ...statuses, ...fieldNames };
const wordsAndTexts: Names = { ...words, ...texts };

/** The canonical names that have another one. */
export const canonicalWords: readonly string[] = Object.keys(words);

/** A type identifier as the reply shall show it. */
export const typeName = (type: string, vocabulary: Vocabulary): string => shown(types, type, vocabulary);

/** A sync status as the reply shall show it. */
export const statusName = (status: string, vocabulary: Vocabulary): string => shown(statuses, status, vocabulary);

/** The name of a field as the reply shall show it. */
export const fieldName = (field: string, vocabulary: Vocabulary): string => shown(fieldNames, field, vocabulary);

/** Any of these names, or a whole text, as the reply shall show it. */
export const wordName = (word: string, vocabulary: Vocabulary): string => shown(wordsAndTexts, word, vocabulary);

/** The text of the 503 while the keyring is not in memory. */
export const sealedText = (vocabulary: Vocabulary): string => sealedTexts[vocabulary];

/** The canonical identifier of a type that was named by either name. */
export const canonicalType = (name: string): string => canonicalTypes.get(name) ?? name;

/** The canonical name of a field that was named by either name. */
export const canonicalField = (name: string): string => canonicalFields.get(name) ?? name;

const destinations = 'sys/sync/destinations/';

/**
 * A full path (below `/v1/`) with the destination's type by its canonical name. Only the segment after
 * `sys/sync/destinations/` is looked at, since every other path was chosen by a user. Policies that name such paths
 * have to be read through this as well, or a grant by the alias would not match.
 */
export function canonicalPath(path: string): string {
  return withType(path, canonicalType);
}

/** A full path with canonical names as the reply shall show it. */
export const pathName = (path: string, vocabulary: Vocabulary): string =>
  withType(path, (type) => typeName(type, vocabulary));

function withType(path: string, rename: (type: string) => string): string {
  if (!path.startsWith(destinations)) return path;
  const end = path.indexOf('/', destinations.length);
  const type = path.slice(destinations.length, end < 0 ? undefined : end);
  const renamed = rename(type);
  return renamed === type ? path : destinations + renamed + path.slice(destinations.length + type.length);
}

function shown(names: Names, canonical: string, vocabulary: Vocabulary): string {
  return vocabulary === 'alias' && Object.hasOwn(names, canonical) ? (names[canonical] ?? canonical) : canonical;
}
