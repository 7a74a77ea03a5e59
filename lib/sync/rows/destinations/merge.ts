import { z } from 'zod';
import { AppError, invalid } from '#core/errors.ts';
import type { DestinationDefinition, TagRule } from '#destinations/contract.ts';
import type { Fields } from '#path/fields.ts';
import { inputProblems } from '#path/input/problems.ts';
import { namesWith } from '../fields/forms.ts';
import type { DestinationRecord } from './view.ts';

type Given = Readonly<Record<string, unknown>>;

/** The fields that a destination will have. */
export interface Wanted {
  /** The names of the fields that were given, in this request or an earlier one. */
  readonly names: ReadonlySet<string>;
  /** The values of all fields, with defaults for those that were not given. */
  readonly values: Given;
}

/**
 * The fields of a destination after a merge patch; null resets a field.
 * @throws AppError `bad-request` with every rule that the result breaks, without sensitive values
 */
export function merged(
  { tags }: Pick<DestinationDefinition, 'tags'>,
  own: Fields,
  before: DestinationRecord,
  input: Given,
): Wanted {
  const given = present(input);
  return reparse(own, {
    ...asInput(before),
    ...given,
    custom_tags: mergedTags(tags, before, given),
    name: before.name,
  });
}

/**
 * The fields of a destination after a request that replaces it. Fields that existing clients cannot send keep their value unless
 * they are sent; null resets a field.
 * @throws AppError `bad-request` with every rule that the result breaks, without sensitive values
 */
export function replaced(own: Fields, before: DestinationRecord | undefined, input: Given): Wanted {
  const stored = before === undefined ? {} : asInput(before);
  const kept = Object.fromEntries(namesWith(own, 'kept').map((name) => [name, stored[name]]));
  return reparse(own, { ...kept, ...present(input) });
}

/** The fields that a request would send to create this destination. */
const asInput = (record: DestinationRecord): Given => ({
  ...record.connection,
  ...record.network,
  granularity: record.granularity,
  secret_name_template: record.template ?? undefined,
  adopt: record.adopt,
  rate_group: record.rateGroup ?? undefined,
  on_drift: record.onDrift,
});

type TagChanges = Readonly<Record<string, string | null>>;

/** Tags are stored in the form that the remote accepts, so given tags are normalised before they are compared. */
function mergedTags(rule: TagRule | undefined, before: DestinationRecord, given: Given): Given | undefined {
  const changes = (given['custom_tags'] ?? {}) as TagChanges;
  if (rule === undefined || given['custom_tags'] === null) return undefined;
  const removed = Object.keys(changes).filter((key) => changes[key] === null);
  const listed = (given['tags_to_remove'] ?? []) as readonly string[];
  const gone = new Set([...removed, ...listed].flatMap((key) => [key, ...keptAs(rule, key)]));
  const all = { ...before.tags, ...rule.normalise(withoutNulls(changes) as Readonly<Record<string, string>>) };
  return Object.fromEntries(Object.entries(all).filter(([key]) => !gone.has(key)));
}

/** The stored form of a tag key; empty for an invalid key, which no tag can have. */
function keptAs(rule: TagRule, key: string): readonly string[] {
  try {
    return Object.keys(rule.normalise({ [key]: '' }));
  } catch (cause) {
    if (cause instanceof AppError) return [];
    throw cause;
  }
}

const present = (values: Given): Given =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const withoutNulls = (values: Given): Given =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

function reparse(own: Fields, all: Given): Wanted {
  const given = withoutNulls(all);
  const parsed = z.object({ ...own, name: z.string() }).safeParse(given);
  if (parsed.success) return { names: new Set(Object.keys(given)), values: parsed.data };
  throw invalid(inputProblems(parsed.error, given, new Set(namesWith(own, 'sensitive'))));
}
