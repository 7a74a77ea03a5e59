import { stepByStep } from '#core/concurrency/yielding.ts';
import { badField } from '#core/errors.ts';
import { type Member, type Node, parsingHcl } from '../hcl/parse.ts';
import { membersWithoutEffect } from './grant-fields.ts';
import { parsingPolicy } from './parse.ts';
import type { Rule } from './rule.ts';
import { hasOpenTemplate } from './template.ts';

/**
 * Checks a policy that a client writes, and returns warnings. Stored policies are not checked as strictly, since an earlier release may
 * have accepted them.
 *
 * @throws AppError `bad-request`
 */
export async function checkWritten(text: string): Promise<readonly string[]> {
  const { rules } = await stepByStep(parsingPolicy(text));
  for (const rule of rules) {
    const problem = problemOf(rule);
    if (problem !== undefined)
      throw badField('policy', `failed to parse policy: path ${JSON.stringify(rule.pattern)}: ${problem}`);
  }
  const keys = new Set(keysIn(await stepByStep(parsingHcl(text))));
  const without = membersWithoutEffect.filter((name) => keys.has(name));
  if (without.length === 0) return [];
  const names = without.map((name) => JSON.stringify(name)).join(', ');
  return [`${names} of the policy has no effect here: its path grants the same without it`];
}

/** The first keys of all members at any depth. */
function keysIn(members: readonly Member[]): readonly string[] {
  return members.flatMap(({ keys: [key = ''], value }) => [key, ...keysOf(value)]);
}

function keysOf(value: Node): readonly string[] {
  if (value.kind === 'object') return keysIn(value.members);
  return value.kind === 'list' ? value.items.flatMap(keysOf) : [];
}

function problemOf({ pattern, wrappingSecondsMin: min, wrappingSecondsMax: max }: Rule): string | undefined {
  if (hasOpenTemplate(pattern)) return 'a template is not closed: "{{" without "}}"';
  return max > 0 && min > max ? '"max_wrapping_ttl" is less than "min_wrapping_ttl"' : undefined;
}
