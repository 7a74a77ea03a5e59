import { canonicalField } from '../../path/vocabulary.ts';
import type { Grant, ParameterRule, ParameterValue } from './rule.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/**
 * Why the parameters of a request are not within a grant, naming the parameter and never a value; undefined: they are.
 * A request without any parameter has only the required ones to fear.
 */
export function parameterRefusal(grant: Grant, parameters: Parameters): string | undefined {
  // A secret may have very many members, and most grants say nothing of parameters.
  if (grant.requiredParameters.size + grant.deniedParameters.size + grant.allowedParameters.size === 0)
    return undefined;
  const given = new Map(Object.entries(parameters).map(([name, value]) => [parameterName(name), value] as const));
  const missing = [...grant.requiredParameters].find((name) => !given.has(name));
  if (missing !== undefined) return `the parameter ${JSON.stringify(missing)} is required`;
  for (const [name, value] of given) {
    if (isDenied(grant.deniedParameters, name, value)) return `the parameter ${JSON.stringify(name)} is denied`;
    if (!isAllowed(grant.allowedParameters, name, value)) return `the parameter ${JSON.stringify(name)} is not allowed`;
  }
  return undefined;
}

/** As policies compare names: in lower case, and canonical where clients know another one. */
export const parameterName = (name: string): string => canonicalField(name.toLowerCase());

/** `*` as a name denies all parameters. */
function isDenied(rule: ParameterRule, name: string, value: unknown): boolean {
  if (rule.has('*')) return true;
  const values = rule.get(name);
  return values !== undefined && (values.length === 0 || values.some((one) => isEqual(one, value)));
}

/** `*` as a name stands for the parameters that have no entry of their own. */
function isAllowed(rule: ParameterRule, name: string, value: unknown): boolean {
  if (rule.size === 0) return true;
  const values = rule.get(name);
  if (values === undefined) return rule.has('*');
  return values.length === 0 || values.some((one) => isEqual(one, value));
}

function isEqual(rule: ParameterValue, value: unknown): boolean {
  if (typeof rule === 'string') return typeof value === 'string' && matchesGlob(rule, value);
  if (typeof rule !== 'object') return rule === plain(value);
  return Array.isArray(value) && value.length === rule.length && rule.every((one, index) => isEqual(one, value[index]));
}

/** A number that kept its digits compares by its value. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'rawJSON' in value ? Number(value.rawJSON) : value;

/** `*` at the begin, the end, or both. */
function matchesGlob(glob: string, value: string): boolean {
  const open = glob.startsWith('*');
  const end = glob.endsWith('*') && glob.length > 1;
  const text = glob.slice(open ? 1 : 0, end ? -1 : undefined);
  if (open && end) return value.includes(text);
  if (open) return value.endsWith(text);
  return end ? value.startsWith(text) : value === glob;
}
