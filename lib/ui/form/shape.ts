import { isObject, memberOf, parseJson, textOf, type Value } from '#client/wire/json.ts';

/** A field of a form, as the API describes it. */
export interface FieldShape {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly group: string;
  readonly type: string;
  readonly required: boolean;
  readonly sensitive: boolean;
  readonly immutable: boolean;
  readonly multiline: boolean;
  readonly values: readonly string[];
  readonly usual: string;
}

export interface GroupShape {
  readonly name: string;
  readonly label: string;
  readonly fields: readonly FieldShape[];
}

/** What is typed into a form, by field: a list has one entry in a line, a map `key=value` in a line. */
export type Typed = Readonly<Record<string, string>>;

/** The groups of a described type that have fields, in their order. */
export function groupsOf(type: Value): readonly GroupShape[] {
  const fields = listOf(memberOf(type, 'fields')).map(fieldOf);
  return listOf(memberOf(type, 'groups')).flatMap((group) => {
    const [name, label] = [textOf(group, 'name'), textOf(group, 'label')];
    const own = fields.filter((field) => field.group === name);
    return own.length === 0 ? [] : [{ name, label, fields: own }];
  });
}

function fieldOf(value: Value): FieldShape {
  const is = (name: string) => memberOf(value, name) === true;
  return {
    name: textOf(value, 'name'),
    label: textOf(value, 'label'),
    description: textOf(value, 'description'),
    group: textOf(value, 'group'),
    type: textOf(value, 'type'),
    required: is('required'),
    sensitive: is('sensitive'),
    immutable: is('immutable'),
    multiline: is('multiline'),
    values: listOf(memberOf(value, 'values')).map(String),
    usual: asTyped(memberOf(value, 'default')),
  };
}

const listOf = (value: Value | undefined): readonly Value[] => (Array.isArray(value) ? value : []);

/** A value of the API as it is typed. */
export function asTyped(value: Value | undefined): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.map(String).join('\n');
  if (isObject(value))
    return Object.entries(value)
      .map(([key, one]) => `${key}=${String(one)}`)
      .join('\n');
  return String(value);
}

/** What is typed as a value of the API. Undefined when it does not have the form of its type; the text says what it should be. */
export function asValue(
  { type }: Pick<FieldShape, 'type'>,
  typed: string,
): { readonly value: Value } | { readonly problem: string } {
  const text = type === 'string' ? typed : typed.trim();
  if (type === 'boolean') return { value: text === 'true' };
  if (type === 'integer' || type === 'number') return numberOf(text);
  if (type === 'array of integer') return { value: linesOf(text).map(Number) };
  if (type.startsWith('array')) return { value: linesOf(text) };
  if (type === 'object') return mapOf(text);
  if (type === 'json') return jsonOf(text);
  return { value: text };
}

const linesOf = (text: string): readonly string[] => text.split(/[\n,]/).flatMap((line) => line.trim() || []);

const numberOf = (text: string) =>
  Number.isFinite(Number(text)) ? { value: Number(text) } : { problem: 'This must be a number.' };

/** For what has no form of its own here. */
function jsonOf(text: string): { readonly value: Value } | { readonly problem: string } {
  try {
    return { value: parseJson(text) };
  } catch {
    return { problem: 'This must be JSON.' };
  }
}

function mapOf(text: string): { readonly value: Value } | { readonly problem: string } {
  if (text.startsWith('{')) return jsonOf(text);
  const pairs = text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  if (pairs.some((pair) => pair.indexOf('=') < 1)) return { problem: 'Each line must be key=value.' };
  return {
    value: Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    ),
  };
}

export interface Sent {
  readonly body: { readonly [name: string]: Value };
  readonly problems: Readonly<Record<string, string>>;
}

/**
 * The request for what was typed. A new resource gets the fields that are not empty; a stored one those that changed, where an empty
 * field goes back to its default. A sensitive field is sent only if something was typed.
 */
export function sentOf(groups: readonly GroupShape[], typed: Typed, stored: Typed | undefined): Sent {
  const body: Record<string, Value> = {};
  const problems: Record<string, string> = {};
  for (const field of groups.flatMap(({ fields }) => fields)) {
    const text = typed[field.name] ?? '';
    const before = stored?.[field.name] ?? '';
    if (stored === undefined ? text === '' : text === before) {
      if (stored === undefined && field.required) problems[field.name] = `${field.label} is required.`;
      continue;
    }
    if (text === '') {
      if (!field.sensitive) body[field.name] = null;
      continue;
    }
    const made = asValue(field, text);
    if ('problem' in made) problems[field.name] = made.problem;
    else body[field.name] = made.value;
  }
  return { body, problems };
}
