import type { Vocabulary } from './contract/request.ts';

/**
 * The names that existing clients of the API family use where our canonical name is another one. This is the only such table,
 * except that the definitions of destination types have both names (`typeNames`). The canonical name comes first, then the alias.
 * Names that are not listed are the same in both vocabularies.
 */
const methodTypes = [{ type: 'orchestrator', alias: 'kubernetes' }];
const statuses: Names = new Map([['INTERNAL_ERROR', 'INTERNAL_VAULT_ERROR']]);
const sealTypes: Names = new Map([
  ['cloud-a-kms', 'awskms'],
  ['cloud-b-keys', 'azurekeyvault'],
  ['cloud-c-kms', 'gcpckms'],
]);
const fieldNames: Names = new Map([
  ['orchestrator_host', 'kubernetes_host'],
  ['orchestrator_ca_cert', 'kubernetes_ca_cert'],
  ['engine-version', 'terraform-version'],
  ['vcs-app-installation-id', 'github-app-installation-id'],
  ['assessments-enabled', 'drift-detection'],
]);
/** Complete error texts, some of which clients compare. They are not replaced inside a longer text. */
const texts: Names = new Map([
  ['the service is already initialized', 'Vault is already initialized'],
  ['the service is not initialized', 'Vault is not initialized'],
  ['the service is unsealed', 'vault is unsealed'],
]);
const sealedTexts = { canonical: 'Service is sealed', alias: 'Vault is sealed' } satisfies Record<Vocabulary, string>;

type Names = ReadonlyMap<string, string>;

const reversed = (names: Names): ReadonlyMap<string, string> =>
  new Map([...names].map(([canonical, alias]) => [alias, canonical]));
const canonicalFields = reversed(fieldNames);

/** The names of auth method types and destination types in both vocabularies. */
export interface TypeNames {
  /** By canonical name. */
  readonly aliases: ReadonlyMap<string, string>;
  /** By alias. */
  readonly canonical: ReadonlyMap<string, string>;
}

/** The names of all types, given the definitions of the destination types. */
export function typeNames(destinations: readonly { readonly type: string; readonly alias: string }[]): TypeNames {
  const aliases = new Map([...methodTypes, ...destinations].map(({ type, alias }) => [type, alias]));
  return { aliases, canonical: reversed(aliases) };
}

/** Only the names of auth method types. */
export const methodTypeNames: TypeNames = typeNames([]);

/** The canonical names that have an alias, without the texts. */
export const canonicalWords = ({ aliases }: TypeNames): readonly string[] => [
  ...aliases.keys(),
  ...statuses.keys(),
  ...fieldNames.keys(),
];

/** The name of a type in the vocabulary. */
export const typeName = (names: TypeNames, type: string, vocabulary: Vocabulary): string =>
  shown(names.aliases, type, vocabulary);

/** The name of a sync status in the vocabulary. */
export const statusName = (status: string, vocabulary: Vocabulary): string => shown(statuses, status, vocabulary);

/** The name of a seal type in the vocabulary. */
export const sealTypeName = (type: string, vocabulary: Vocabulary): string => shown(sealTypes, type, vocabulary);

/** The name of a field in the vocabulary. */
export const fieldName = (field: string, vocabulary: Vocabulary): string => shown(fieldNames, field, vocabulary);

/** Any of these names, or a complete text, in the vocabulary. */
export const wordName = (names: TypeNames, word: string, vocabulary: Vocabulary): string =>
  [names.aliases, statuses, fieldNames, texts].reduce((name, table) => shown(table, name, vocabulary), word);

/** The text of the 503 while the keyring is not in memory. */
export const sealedText = (vocabulary: Vocabulary): string => sealedTexts[vocabulary];

/** The canonical name of a type, given either of its names. */
export const canonicalType = (names: TypeNames, name: string): string => names.canonical.get(name) ?? name;

/** The canonical name of a field, given either of its names. */
export const canonicalField = (name: string): string => canonicalFields.get(name) ?? name;

/** The same key for all spellings of a name: in any case, and for both names of a field. */
export const fieldKey = (name: string): string => canonicalField(name.toLowerCase());

const destinations = 'sys/sync/destinations/';
const folders = destinations.split('/').slice(0, -1);

/**
 * A full path (below `/v1/`) with the canonical name of the destination type. Only the segment after `sys/sync/destinations/` is
 * translated, because users choose every other path. Paths in policies must be translated too, or a rule with the alias would not
 * match.
 */
export function canonicalPath(names: TypeNames, path: string): string {
  return withType(path, (type) => canonicalType(names, type));
}

/**
 * The canonical patterns for a pattern of a policy that may contain a type's alias or a `+` segment. The start of a type's name
 * followed by `*` matches each type whose alias starts with it. After what may be a namespace, the pattern itself is kept too: its
 * names may be chosen by users.
 */
export function canonicalPatterns(names: TypeNames, pattern: string): readonly string[] {
  const parts = pattern.split('/');
  const own = patternsAt(names, parts, 0);
  const inNamespaces = parts.flatMap((_, at) => (at === 0 ? [] : patternsAt(names, parts, at)));
  return [...new Set([...(own.length === 0 ? [pattern] : own), ...inNamespaces])];
}

/** Empty when the segments from there on are not a path of destinations. */
function patternsAt(names: TypeNames, parts: readonly string[], at: number): readonly string[] {
  const type = parts[at + folders.length];
  const isDestination = folders.every((folder, index) => parts[at + index] === folder || parts[at + index] === '+');
  if (type === undefined || !isDestination) return [];
  const named = (name: string) => parts.with(at + folders.length, name).join('/');
  if (parts.length > at + folders.length + 1 || !type.endsWith('*')) return [named(canonicalType(names, type))];
  const found = [...names.canonical].filter(([alias]) => alias.startsWith(type.slice(0, -1)));
  return [parts.join('/'), ...(type === '*' ? [] : found.map(([, canonical]) => named(`${canonical}*`)))];
}

/** A full path with canonical names in the vocabulary. */
export const pathName = (names: TypeNames, path: string, vocabulary: Vocabulary): string =>
  withType(path, (type) => typeName(names, type, vocabulary));

function withType(path: string, rename: (type: string) => string): string {
  if (!path.startsWith(destinations)) return path;
  const end = path.indexOf('/', destinations.length);
  const type = path.slice(destinations.length, end < 0 ? undefined : end);
  const renamed = rename(type);
  return renamed === type ? path : destinations + renamed + path.slice(destinations.length + type.length);
}

function shown(names: Names, canonical: string, vocabulary: Vocabulary): string {
  return vocabulary === 'alias' ? (names.get(canonical) ?? canonical) : canonical;
}
