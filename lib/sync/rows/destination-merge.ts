import { z } from 'zod';
import { AppError } from '../../core/errors.ts';
import type { Fields } from '../../path/fields.ts';
import { inputProblems } from '../../path/problems.ts';
import { isSensitive } from './destination-fields.ts';
import type { DestinationRecord } from './destination-view.ts';

type Given = Readonly<Record<string, unknown>>;

/**
 * The fields of a destination with those that a request gives in their place; null sets one back.
 * @throws AppError `bad-request` with every rule that the result breaks; no sensitive value is in it
 */
export function merged(own: Fields, before: DestinationRecord, input: Given): Given {
  const given = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));
  const all = withoutNulls({ ...asInput(before), ...given, custom_tags: mergedTags(before, given) });
  return reparse(own, { ...all, name: before.name });
}

/** The fields that a request would have to send to make this destination. */
const asInput = (record: DestinationRecord): Given => ({
  ...record.connection,
  ...record.network,
  granularity: record.granularity,
  secret_name_template: record.template ?? undefined,
  adopt: record.adopt,
});

function mergedTags(before: DestinationRecord, given: Given): Given | undefined {
  if (given['custom_tags'] === null) return undefined;
  const removed = new Set(given['tags_to_remove'] as readonly string[] | undefined);
  const all = { ...before.tags, ...(given['custom_tags'] as Given | undefined) };
  return Object.fromEntries(Object.entries(all).filter(([key]) => !removed.has(key)));
}

const withoutNulls = (values: Given): Given =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined));

function reparse(own: Fields, given: Given): Given {
  const parsed = z.object({ ...own, name: z.string() }).safeParse(given);
  if (parsed.success) return parsed.data;
  const sensitive = new Set(Object.keys(own).filter((field) => isSensitive(own, field)));
  throw new AppError('bad-request', inputProblems(parsed.error, given, sensitive));
}
