import { badField } from '#core/errors.ts';
import { HclError, positionAt } from '../hcl/error.ts';
import { type Member, type Node, parseHcl } from '../hcl/parse.ts';

/** How passwords are made: their length, and the minimum number of characters of each charset. */
export interface PasswordPolicy {
  readonly length: number;
  readonly rules: readonly CharsetRule[];
}

export interface CharsetRule {
  /** Characters without duplicates. */
  readonly charset: readonly string[];
  readonly charactersMin: number;
}

const lengthMin = 4;
const lengthMax = 100;
const rulesMax = 100;
const charsetMax = 256;
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u;

/**
 * `length = 20` and rules such as `rule "charset" { charset = "abc" min-chars = 1 }`, in HCL or JSON.
 *
 * @throws AppError `bad-request`: `failed to parse password policy: ` with line, column and problem
 */
export function parsePasswordPolicy(text: string): PasswordPolicy {
  try {
    return policyOf(parseHcl(text), text);
  } catch (cause) {
    if (!(cause instanceof HclError)) throw cause;
    throw badField('policy', `failed to parse password policy: ${cause.message}`);
  }
}

function policyOf(members: readonly Member[], text: string): PasswordPolicy {
  const wrong = (at: number, problem: string) => new HclError(problem, positionAt(text, at));
  let length: number | undefined;
  const rules: CharsetRule[] = [];
  for (const { keys, value, at } of members) {
    const [key, ...labels] = keys;
    if (key === 'length' && labels.length === 0 && length === undefined) length = integer(value, wrong);
    else if (key === 'rule') rules.push(...rulesOf(labels, value, wrong));
    else throw wrong(at, `unexpected ${JSON.stringify(keys.join(' '))}: expected "length" once, and "rule"`);
  }
  const problem = problemOf(length, rules);
  if (problem !== undefined) throw wrong(0, problem);
  return { length: length ?? 0, rules };
}

type Wrong = (at: number, problem: string) => Error;

/** In JSON, rules are an object by the kinds of rules, or a list of such objects. */
function rulesOf(labels: readonly string[], value: Node, wrong: Wrong): readonly CharsetRule[] {
  if (value.kind === 'list') return value.items.flatMap((item) => rulesOf(labels, item, wrong));
  if (value.kind !== 'object') throw wrong(value.at, 'expected the block of a rule');
  const [kind, ...more] = labels;
  if (kind === undefined) return value.members.flatMap((member) => rulesOf(member.keys, member.value, wrong));
  if (kind !== 'charset' || more.length > 0) throw wrong(value.at, 'the only kind of rule is "charset"');
  return [charsetRule(value.members, value.at, wrong)];
}

function charsetRule(members: readonly Member[], at: number, wrong: Wrong): CharsetRule {
  let charset: readonly string[] = [];
  let charactersMin = 0;
  for (const { keys, value, at: key } of members) {
    const name = keys.join(' ');
    if (name === 'charset') charset = characters(value, wrong);
    else if (name === 'min-chars') charactersMin = integer(value, wrong);
    else throw wrong(key, `unexpected ${JSON.stringify(name)}: expected "charset" and "min-chars"`);
  }
  if (charset.length === 0) throw wrong(at, 'the charset of a rule has at least one character');
  if (charactersMin < 0) throw wrong(at, '"min-chars" is not negative');
  return { charset, charactersMin };
}

function characters(value: Node, wrong: Wrong): readonly string[] {
  if (value.kind !== 'string') throw wrong(value.at, 'expected a string');
  const found = [...new Set(value.value)];
  if (found.length > charsetMax) throw wrong(value.at, `a charset has at most ${charsetMax} characters`);
  if (!found.every((one) => printable.test(one))) throw wrong(value.at, 'a charset has printable characters only');
  return found;
}

function integer(value: Node, wrong: Wrong): number {
  if (value.kind === 'number' && Number.isSafeInteger(value.value)) return value.value;
  throw wrong(value.at, 'expected a whole number');
}

function problemOf(length: number | undefined, rules: readonly CharsetRule[]): string | undefined {
  if (length === undefined || length < lengthMin || length > lengthMax)
    return `"length" is a number from ${lengthMin} to ${lengthMax}`;
  if (rules.length === 0) return 'there is no rule "charset"';
  if (rules.length > rulesMax) return `there are more than ${rulesMax} rules`;
  const least = rules.reduce((sum, { charactersMin }) => sum + charactersMin, 0);
  return least > length ? `the rules want ${least} characters, and the length is ${length}` : undefined;
}
