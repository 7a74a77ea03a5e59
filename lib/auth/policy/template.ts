import type { Policy, Rule } from './rule.ts';

/** What templates in the policies of a caller can refer to. */
export interface Subject {
  readonly entity?: {
    readonly id: string;
    readonly name: string;
    readonly metadata: Readonly<Record<string, string>>;
    /** Aliases by the accessor of their mount. */
    readonly aliases: ReadonlyMap<string, SubjectAlias>;
  };
  readonly groups: readonly SubjectGroup[];
}

export interface SubjectAlias {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly customMetadata: Readonly<Record<string, string>>;
}

export interface SubjectGroup {
  readonly id: string;
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

const expression = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** The rules of a policy for one caller, without rules whose templates have no safe value. */
export function rulesFor(policy: Policy, subject: Subject): readonly Rule[] {
  if (!policy.templated) return policy.rules;
  return policy.rules.flatMap((rule) => {
    const pattern = rendered(rule.pattern, subject);
    return pattern === undefined ? [] : [{ ...rule, pattern }];
  });
}

function rendered(pattern: string, subject: Subject): string | undefined {
  let complete = true;
  const text = pattern.replace(expression, (_, name: string) => {
    const value = lookUp(name, subject);
    if (value === undefined || !isSafe(value)) complete = false;
    return value ?? '';
  });
  return complete && !text.includes('{{') ? text : undefined;
}

/** Whether a pattern contains a template that is not closed. */
export const hasOpenTemplate = (pattern: string): boolean => pattern.replace(expression, '').includes('{{');

/** A value must not contain wildcards, which would widen the pattern. */
const isSafe = (value: string): boolean => value !== '' && !/\*|(?:^|\/)\+/.test(value);

function lookUp(name: string, { entity, groups }: Subject): string | undefined {
  if (name.startsWith('identity.groups.')) return groupValue(name.slice('identity.groups.'.length), groups);
  if (entity === undefined || !name.startsWith('identity.entity.')) return undefined;
  const path = name.slice('identity.entity.'.length);
  if (path === 'id') return entity.id;
  if (path === 'name') return entity.name;
  if (path.startsWith('metadata.')) return member(entity.metadata, path.slice('metadata.'.length));
  return path.startsWith('aliases.') ? aliasValue(path.slice('aliases.'.length), entity.aliases) : undefined;
}

function aliasValue(path: string, aliases: ReadonlyMap<string, SubjectAlias>): string | undefined {
  const [accessor, rest] = splitAtDot(path);
  const alias = aliases.get(accessor);
  if (alias === undefined) return undefined;
  if (rest === 'id') return alias.id;
  if (rest === 'name') return alias.name;
  if (rest.startsWith('metadata.')) return member(alias.metadata, rest.slice('metadata.'.length));
  if (rest.startsWith('custom_metadata.')) return member(alias.customMetadata, rest.slice('custom_metadata.'.length));
  return undefined;
}

/** `ids.<id>.name`, `ids.<id>.metadata.<key>`, `names.<name>.id`, `names.<name>.metadata.<key>`. */
function groupValue(path: string, groups: readonly SubjectGroup[]): string | undefined {
  const [by, named] = splitAtDot(path);
  const [key, rest] = splitAtDot(named);
  const group = groups.find(({ id, name }) => (by === 'ids' ? id === key : by === 'names' && name === key));
  if (group === undefined) return undefined;
  if (rest === 'name' && by === 'ids') return group.name;
  if (rest === 'id' && by === 'names') return group.id;
  return rest.startsWith('metadata.') ? member(group.metadata, rest.slice('metadata.'.length)) : undefined;
}

function splitAtDot(path: string): readonly [string, string] {
  const dot = path.indexOf('.');
  return dot < 0 ? [path, ''] : [path.slice(0, dot), path.slice(dot + 1)];
}

const member = (values: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(values, key) ? values[key] : undefined;
