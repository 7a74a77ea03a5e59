import { atOnce, type Steps } from '#core/concurrency/yielding.ts';
import { badField } from '#core/errors.ts';
import { HclError, positionAt } from '../hcl/error.ts';
import { type Member, type Node, parsingHcl } from '../hcl/parse.ts';
import { readGrant } from './grant-fields.ts';
import type { Policy, Rule } from './rule.ts';

const rulesMax = 10_000;

/**
 * Parses a policy in HCL or JSON: `path "secret/data/*" { capabilities = ["read"] }`, or the other forms of `path` in JSON and HCL (an
 * object by patterns, or a list of such objects).
 *
 * @throws AppError `bad-request`: `failed to parse policy: ` with line, column and problem
 */
export const parsePolicy = (text: string): Policy => atOnce(parsingPolicy(text));

/** Parses in steps, since a policy of a megabyte takes long. */
export function* parsingPolicy(text: string): Steps<Policy> {
  try {
    const rules: Rule[] = [];
    for (const member of yield* parsingHcl(text)) yield* addRules(rules, member, text);
    if (rules.length > rulesMax) throw new HclError(`more than ${rulesMax} paths`, { line: 1, column: 1 });
    return { rules, templated: rules.some(({ pattern }) => pattern.includes('{{')) };
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause;
    throw badField('policy', `failed to parse policy: ${cause.message}`);
  }
}

function* addRules(rules: Rule[], member: Member, text: string): Steps<undefined> {
  const [key, ...labels] = member.keys;
  if (key === 'name' && labels.length === 0) return;
  if (key !== 'path') throw wrong(text, member.at, `invalid key ${JSON.stringify(key)}: expected "path" or "name"`);
  yield* addPaths(rules, labels, member.value, text);
}

function* addPaths(rules: Rule[], labels: readonly string[], value: Node, text: string): Steps<undefined> {
  if (labels.length > 1) throw wrong(text, value.at, 'a path has a single pattern');
  if (value.kind === 'list') {
    for (const item of value.items) yield* addPaths(rules, labels, item, text);
    return;
  }
  if (value.kind !== 'object') throw wrong(text, value.at, 'expected a path block');
  const [pattern] = labels;
  if (pattern === undefined)
    for (const { keys, value: below } of value.members) yield* addPaths(rules, keys, below, text);
  else rules.push(toRule(pattern, value.members, value.at, text));
  yield;
}

function toRule(given: string, members: readonly Member[], at: number, text: string): Rule {
  const pattern = given.replace(/^\/+/, '');
  if (pattern === '') throw wrong(text, at, 'the path is empty');
  if (pattern.includes('+*'))
    throw wrong(text, at, `path ${JSON.stringify(given)}: invalid use of wildcards ("+*" is forbidden)`);
  return {
    pattern,
    at,
    ...readGrant(members, (offset, problem) => wrong(text, offset, `path ${JSON.stringify(given)}: ${problem}`)),
  };
}

const wrong = (text: string, at: number, problem: string): HclError => new HclError(problem, positionAt(text, at));
