import type { Vocabulary } from './contract/request.ts';

/**
 * The names that existing clients of the API family use for things the specification names otherwise: the only such
 * table, but for the types of destinations: their definitions have both names. Left is the canonical name, right the alias. A
 * name that is in neither is the same in both.
 */
const types = new Map([['orchestrator', 'kubernetes']]);
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
/** Whole texts, some of which clients compare. Only for errors that are these texts and nothing else. */
const texts: Names = new Map([
  ['the service is already initialized', 'Vault is already initialized'],
  ['the service is not initialized', 'Vault is not initialized'],
  ['the service is unsealed', 'vault is unsealed'],
]);
const sealedTexts = { canonical: 'Service is sealed', alias: 'Vault is sealed' } satisfies Record<Vocabulary, string>;

type Names = ReadonlyMap<string, string>;

const reversed = (names: Names): ReadonlyMap<string, string> =>
  new Map([...names].map(([canonical, alias]) => [alias, canonical]));
const canonicalTypes = new Map(reversed(types));
const canonicalFields = reversed(fieldNames);

/**
 * Adds the two names of destination types, which stand in their definitions. The list of the types calls it when it is loaded;
 * a second call with the same names changes nothing.
 */
export function nameTypes(definitions: readonly { readonly type: string; readonly alias: string }[]): void {
  for (const { type, alias } of definitions) {
    types.set(type, alias);
    canonicalTypes.set(alias, type);
  }
}

/** The canonical names that have another one, texts left out. */
export const canonicalWords = (): readonly string[] => [...types.keys(), ...statuses.keys(), ...fieldNames.keys()];

/** A type identifier as the reply shall show it. */
export const typeName = (type: string, vocabulary: Vocabulary): string => shown(types, type, vocabulary);

/** A sync status as the reply shall show it. */
export const statusName = (status: string, vocabulary: Vocabulary): string => shown(statuses, status, vocabulary);

/** The type of the seal as the reply shall show it. */
export const sealTypeName = (type: string, vocabulary: Vocabulary): string => shown(sealTypes, type, vocabulary);

/** The name of a field as the reply shall show it. */
export const fieldName = (field: string, vocabulary: Vocabulary): string => shown(fieldNames, field, vocabulary);

/** Any of these names, or a whole text, as the reply shall show it. */
export const wordName = (word: string, vocabulary: Vocabulary): string =>
  [types, statuses, fieldNames, texts].reduce((name, names) => shown(names, name, vocabulary), word);

/** The text of the 503 while the keyring is not in memory. */
export const sealedText = (vocabulary: Vocabulary): string => sealedTexts[vocabulary];

/** The canonical identifier of a type that was named by either name. */
export const canonicalType = (name: string): string => canonicalTypes.get(name) ?? name;

/** The canonical name of a field that was named by either name. */
export const canonicalField = (name: string): string => canonicalFields.get(name) ?? name;

/** The same for all spellings of a name: those that differ in case, and both names of a field that has two. */
export const fieldKey = (name: string): string => canonicalField(name.toLowerCase());

const destinations = 'sys/sync/destinations/';
const folders = destinations.split('/').slice(0, -1);

/**
 * A full path (below `/v1/`) with the destination's type by its canonical name. Only the segment after
 * `sys/sync/destinations/` is looked at, since every other path was chosen by a user. Policies that name such paths
 * have to be read through this as well, or a grant by the alias would not match.
 */
export function canonicalPath(path: string): string {
  return withType(path, canonicalType);
}

/**
 * The patterns of a policy that stand for one that may name a type by its alias, `+` as a segment among them. The begin of a
 * type's name with `*` stands for each type whose alias begins so. Behind what may be a namespace the pattern itself stays as well: it
 * may be one of names that users chose.
 */
export function canonicalPatterns(pattern: string): readonly string[] {
  const parts = pattern.split('/');
  const own = patternsAt(parts, 0);
  const inNamespaces = parts.flatMap((_, at) => (at === 0 ? [] : patternsAt(parts, at)));
  return [...new Set([...(own.length === 0 ? [pattern] : own), ...inNamespaces])];
}

/** None: the segments from there on name no destinations. */
function patternsAt(parts: readonly string[], at: number): readonly string[] {
  const type = parts[at + folders.length];
  const isDestination = folders.every((folder, index) => parts[at + index] === folder || parts[at + index] === '+');
  if (type === undefined || !isDestination) return [];
  const named = (name: string) => parts.with(at + folders.length, name).join('/');
  if (parts.length > at + folders.length + 1 || !type.endsWith('*')) return [named(canonicalType(type))];
  const found = [...canonicalTypes].filter(([alias]) => alias.startsWith(type.slice(0, -1)));
  return [parts.join('/'), ...(type === '*' ? [] : found.map(([, canonical]) => named(`${canonical}*`)))];
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
  return vocabulary === 'alias' ? (names.get(canonical) ?? canonical) : canonical;
}
