import type { Parameter, Parameters } from '#path/input/parameters.ts';
import { elementsOf, matches } from './match/value.ts';
import type { Grant, ParameterRule, ParameterValue } from './rule.ts';

/**
 * Why a grant refuses the parameters of a request, naming the parameter but never a value. Undefined when it allows them. A request
 * without parameters can fail only on required parameters.
 */
export function parameterRefusal(grant: Grant, parameters: () => Parameters): string | undefined {
  // Most grants have no rules for parameters, and reading those of a large secret is expensive.
  if (grant.requiredParameters.size + grant.deniedParameters.size + grant.allowedParameters.size === 0)
    return undefined;
  const { given, members } = parameters();
  const missing = [...grant.requiredParameters].find((key) => !given.has(key));
  if (missing !== undefined) return `the parameter ${JSON.stringify(missing)} is required`;
  for (const member of members) {
    const shown = JSON.stringify(member.keys[0]);
    if (isDenied(grant.deniedParameters, member)) return `the parameter ${shown} is denied`;
    if (!isAllowed(grant.allowedParameters, member)) return `the parameter ${shown} is not allowed`;
  }
  return undefined;
}

/** The name `*` denies all parameters. One denied element denies the whole list. */
function isDenied(rule: ParameterRule, member: Parameter): boolean {
  if (rule.has('*')) return true;
  return rulesOf(rule, member).some((values) => values.length === 0 || denies(values, member));
}

function denies(values: readonly ParameterValue[], { sent, read }: Parameter): boolean {
  const seen = [sent, read(sent)].flatMap((value) => [value, ...elementsOf(value)]);
  return values.some((value) => seen.some((one) => matches(value, one, read)));
}

/** The name `*` stands for all parameters without an entry. */
function isAllowed(rule: ParameterRule, member: Parameter): boolean {
  if (rule.size === 0) return true;
  const found = rulesOf(rule, member);
  return found.length === 0 ? rule.has('*') : found.every((values) => values.length === 0 || allows(values, member));
}

/** A list is allowed as a whole, or if each of its elements is allowed. */
function allows(values: readonly ParameterValue[], { sent, read, many }: Parameter): boolean {
  if (!many) {
    const asRead = read(sent);
    return (
      values.some((value) => matches(value, sent, read) || matches(value, asRead, read)) ||
      allowsEach(values, sent, read)
    );
  }
  const list = listOf(sent, read(sent));
  return values.some((value) => isWhole(value, sent, list)) || allowsEach(values, list, read);
}

/** The list that the operation parses from a list field. Undefined for an object. */
function listOf(sent: unknown, asRead: unknown): readonly unknown[] | undefined {
  if (Array.isArray(asRead)) return asRead;
  if (Array.isArray(sent)) return sent;
  return typeof sent === 'string' && !sent.trimStart().startsWith('{') ? elementsOf(sent) : undefined;
}

const allowsEach = (values: readonly ParameterValue[], list: unknown, read: Parameter['read']): boolean =>
  Array.isArray(list) && list.every((one) => values.some((value) => matches(value, one, read)));

/** A wildcard must not match across the commas of a list. */
const isWhole = (value: ParameterValue, sent: unknown, list: readonly unknown[] | undefined): boolean =>
  typeof value === 'object' ? matches(value, list, () => undefined) : value === sent;

const rulesOf = (rule: ParameterRule, { keys }: Parameter): readonly (readonly ParameterValue[])[] =>
  keys.flatMap((key) => {
    const values = rule.get(key);
    return values === undefined ? [] : [values];
  });
