import { CallFailure } from '#client/wire/failure.ts';
import type { GroupShape } from '#ui/form/shape.ts';

/** What a refusal says of single fields, and what it says besides. */
export interface Refusal {
  readonly problems: Readonly<Record<string, string>>;
  readonly rest: string;
}

export function refusalOf(cause: unknown, groups: readonly GroupShape[]): Refusal {
  if (!(cause instanceof CallFailure)) return { problems: {}, rest: 'It could not be saved.' };
  const known = new Set(groups.flatMap(({ fields }) => fields.map(({ name }) => name)));
  const problems = Object.fromEntries(
    cause.problems.filter(({ field }) => known.has(field)).map(({ field, message }) => [field, message]),
  );
  return { problems, rest: Object.keys(problems).length > 0 ? '' : cause.message };
}
