import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Bound on the texts of one reply. */
const problemsMax = 10;

/** One text per field that is wrong: the field, the problem, the rule. */
export function inputProblems(
  error: z.ZodError,
  offered: Readonly<Record<string, unknown>>,
  sensitive: ReadonlySet<string>,
): readonly string[] {
  const texts = new Map<string, string>();
  for (const issue of error.issues) {
    const field = String(issue.path[0] ?? '');
    if (!texts.has(field)) texts.set(field, problem(issue, field, offered, sensitive.has(field)));
    if (texts.size >= problemsMax) break;
  }
  return [...texts.values()];
}

function problem(issue: Issue, field: string, offered: Readonly<Record<string, unknown>>, sensitive: boolean): string {
  if (offered[field] === undefined) return `Field validation failed: missing required field "${field}"`;
  const rule = sensitive ? ruleAlone(issue) : issue.message + positionOf(issue);
  return `Field validation failed: error converting input for field "${field}": ${rule}`;
}

/** Where in a list or map it is. Keys of a sensitive map may be secret too, so those are not shown. */
function positionOf(issue: Issue): string {
  const inner = issue.path.slice(1);
  return inner.length === 0 ? '' : ` (at ${inner.map(String).join('.')})`;
}

/** An issue's message may be made from the value, so of a sensitive field only the rule is shown. */
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
