import type { z } from 'zod';
import type { Problem } from '#core/problem.ts';

type Issue = z.core.$ZodIssue;

/** Bound on the problems of one reply. */
const problemsMax = 10;

/** One problem for each invalid field. Its text has the field, the problem, the rule; its rule comes with the field's name. */
export function inputProblems(
  error: z.ZodError,
  offered: Readonly<Record<string, unknown>>,
  sensitive: ReadonlySet<string>,
): readonly Problem[] {
  const found = new Map<string, Problem>();
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? '');
    if (!found.has(field)) found.set(field, problem(issue, field, offered, sensitive.has(field)));
    if (found.size >= problemsMax) break;
  }
  return [...found.values()];
}

function problem(issue: Issue, field: string, offered: Readonly<Record<string, unknown>>, sensitive: boolean): Problem {
  const fields = field === '' ? [] : [field];
  if (offered[field] === undefined)
    return { fields, text: `Field validation failed: missing required field "${field}"`, rule: 'required' };
  const rule = sensitive ? ruleAlone(issue) : issue.message + positionOf(issue);
  return { fields, text: `Field validation failed: error converting input for field "${field}": ${rule}`, rule };
}

/** The position in a list or map. Not shown for sensitive fields, since the keys of a map may be secret too. */
function positionOf(issue: Issue): string {
  const inner = issue.path.slice(1);
  return inner.length === 0 ? '' : ` (at ${inner.map(String).join('.')})`;
}

/** The message of an issue may contain the value, so for a sensitive field only the rule is shown. */
function ruleAlone(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${issue.expected}`;
    case 'too_small':
      return `expected at least ${issue.minimum}`;
    case 'too_big':
      return `expected at most ${issue.maximum}`;
    default:
      return 'it does not have the expected form';
  }
}
