import { invalid, type Message } from '#core/errors.ts';
import { problemOf } from '#core/problem.ts';
import type { DestinationDefinition, FailureKind } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { bool, text, textList } from '#path/fields.ts';
import { typeIn } from '../model/definition.ts';
import { type DriftKind, driftKinds } from '../model/drift.ts';
import { errorStatuses, type SyncStatus, toStatus } from '../model/status.ts';

/** Fields that select associations. An empty text or list counts as absent. */
export const recordFilterFields = {
  type: text().optional().meta({ description: 'Only destinations of this type' }),
  name: text().optional().meta({ description: 'Only destinations of this name' }),
  status: textList().optional().meta({ description: 'Only these statuses' }),
  kind: textList().optional().meta({ description: 'Only these kinds of error' }),
  mount: text().optional().meta({ description: 'Only secrets of the mount at this path' }),
  prefix: text().optional().meta({ description: 'Only secrets whose path below the mount starts with this' }),
  secret: text().optional().meta({ description: 'Only the secret at this path below the mount' }),
  rule: text().optional().meta({ description: 'Only what the standing rule of this name made' }),
  unconfirmed: bool()
    .optional()
    .meta({ description: 'Whether a write or removal whose end was not seen may still be applied' }),
  drift: textList()
    .optional()
    .meta({
      description: `Only syncs whose objects a look found to differ in one of these ways: ${driftKinds.join(', ')}; any: all of them`,
    }),
};

/** Which associations of a namespace are selected. An absent field does not narrow the selection. */
export interface RecordFilter {
  /** The canonical name. */
  readonly type?: string | undefined;
  /** The name of the destination. */
  readonly name?: string | undefined;
  /** Not empty. */
  readonly statuses?: readonly SyncStatus[] | undefined;
  /** Not empty. */
  readonly kinds?: readonly FailureKind[] | undefined;
  /** As stored: without a leading slash, with one at the end. */
  readonly mount?: string | undefined;
  readonly prefix?: string | undefined;
  readonly secret?: string | undefined;
  /** The name of a standing rule, and its id once it is known. */
  readonly rule?: string | undefined;
  readonly ruleId?: string | undefined;
  readonly unconfirmed?: boolean | undefined;
  /** Not empty. */
  readonly drift?: readonly DriftKind[] | undefined;
  /** Not empty. Only batches select by ids. */
  readonly ids?: readonly string[] | undefined;
}

/** The filter as a request gives it. */
export interface GivenRecordFilter {
  readonly type?: string | undefined;
  readonly name?: string | undefined;
  readonly status?: readonly string[] | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly mount?: string | undefined;
  readonly prefix?: string | undefined;
  readonly secret?: string | undefined;
  readonly rule?: string | undefined;
  readonly unconfirmed?: boolean | undefined;
  readonly drift?: readonly string[] | undefined;
}

/**
 * Parses the filter of a request.
 * @throws AppError `bad-request` with one message for each field that is not accepted, which begins with the name of the field
 */
export function recordFilter(
  definitions: readonly DestinationDefinition[],
  given: GivenRecordFilter,
  vocabulary: Vocabulary = 'canonical',
): RecordFilter {
  const type = parsedType(definitions, given.type, vocabulary);
  const statuses = eachKnown('status', given.status, statusesByName);
  const kinds = eachKnown('kind', given.kind, kindsByName);
  const drift = parsedDrift(given.drift);
  const paths = parsedPaths(given);
  const problems = Object.entries({ type, status: statuses, kind: kinds, drift, mount: paths }).flatMap(
    ([field, { problem }]) => (problem === undefined ? [] : [problemOf(field, problem)]),
  );
  if (problems.length > 0) throw invalid(problems);
  return {
    type: type.value,
    name: unlessEmpty(given.name),
    statuses: statuses.value,
    kinds: kinds.value,
    ...paths.value,
    rule: unlessEmpty(given.rule),
    unconfirmed: given.unconfirmed,
    drift: drift.value,
  };
}

/** Whether the filter selects every association of the namespace, or all but the few of which the end of a call was not seen. */
export const isEmptyFilter = ({ unconfirmed, ...others }: RecordFilter): boolean =>
  unconfirmed !== true && Object.values(others).every((value) => value === undefined);

/** A field is absent, has a value, or has a problem. */
interface Parsed<T> {
  readonly value?: T | undefined;
  readonly problem?: Message;
}

const unlessEmpty = (given: string | undefined): string | undefined => (given === '' ? undefined : given);

function parsedType(
  definitions: readonly DestinationDefinition[],
  given: string | undefined,
  vocabulary: Vocabulary,
): Parsed<string> {
  if (given === undefined || given === '') return {};
  const found = definitions.find((definition) => definition.type === given || definition.alias === given);
  if (found !== undefined) return { value: found.type };
  const known = definitions.map((definition) => typeIn(definition, vocabulary)).join(', ');
  return { problem: `type ${JSON.stringify(given)} is unknown: it must be one of ${known}` };
}

const statusNames: readonly SyncStatus[] = ['PENDING', 'SYNCED', 'UNSYNCED', ...errorStatuses];
const statusesByName: ReadonlyMap<string, SyncStatus> = new Map([
  ...statusNames.map((status) => [status as string, status] as const),
  ['INTERNAL_VAULT_ERROR', toStatus('INTERNAL_ERROR')],
]);

const kinds = {
  credentials: true,
  permission: true,
  missing: true,
  name: true,
  'too-large': true,
  conflict: true,
  quota: true,
  invalid: true,
  blocked: true,
  throttled: true,
  unavailable: true,
  timeout: true,
  network: true,
  internal: true,
  changed: true,
} satisfies Record<FailureKind, true>;
const kindsByName: ReadonlyMap<string, FailureKind> = new Map(
  Object.keys(kinds).map((kind) => [kind, kind as FailureKind]),
);

const driftByName: ReadonlyMap<string, DriftKind | 'any'> = new Map(
  [...driftKinds, 'any' as const].map((name) => [name, name]),
);

function parsedDrift(given: readonly string[] | undefined): Parsed<readonly DriftKind[]> {
  const { value, problem } = eachKnown('drift', given, driftByName);
  if (value === undefined) return problem === undefined ? {} : { problem };
  return { value: driftKinds.filter((kind) => value.includes('any') || value.includes(kind)) };
}

function eachKnown<T extends string>(
  field: string,
  given: readonly string[] | undefined,
  byName: ReadonlyMap<string, T>,
): Parsed<readonly T[]> {
  if (given === undefined || given.length === 0) return {};
  const unknown = given.find((name) => !byName.has(name));
  if (unknown === undefined) return { value: [...new Set(given.flatMap((name) => byName.get(name) ?? []))] };
  const names = [...new Set(byName.values())];
  return {
    problem: (word) =>
      `${field} ${JSON.stringify(unknown)} is unknown: it must be one of ${names.map((name) => word(name)).join(', ')}`,
  };
}

function parsedPaths({
  mount,
  prefix,
  secret,
}: GivenRecordFilter): Parsed<Pick<RecordFilter, 'mount' | 'prefix' | 'secret'>> {
  const path = unlessEmpty(mount)?.replace(/^\/+|\/+$/g, '');
  if (path === '') return { problem: 'mount has to be the path of a mount, such as secret' };
  const below = (given: string | undefined) => unlessEmpty(given?.replace(/^\/+/, ''));
  return {
    value: { mount: path === undefined ? undefined : `${path}/`, prefix: below(prefix), secret: below(secret) },
  };
}
