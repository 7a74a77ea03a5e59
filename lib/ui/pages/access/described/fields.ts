import { isObject, memberOf, parseJson, printJson, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { asTyped, asValue, type FieldShape, type GroupShape, type Typed } from '#ui/form/shape.ts';

/** The fields of the body of a POST, from the help of a path. */
export function fieldsOf(help: Value | undefined, hidden: readonly string[] = []): readonly FieldShape[] {
  const post = memberOf(help, 'openapi', 'paths', '/', 'post', 'requestBody', 'content', 'application/json', 'schema');
  const properties = memberOf(post, 'properties');
  const required = textsOf(post, 'required');
  if (!isObject(properties)) return [];
  return Object.entries(properties)
    .filter(
      ([name, schema]) => !hidden.includes(name) && !/^old name|^former name/i.test(textOf(schema, 'description')),
    )
    .map(([name, schema]) => fieldOf(name, schema ?? null, required.includes(name)));
}

function fieldOf(name: string, schema: Value, required: boolean): FieldShape {
  const sensitive = textOf(schema, 'format') === 'password';
  return {
    name,
    label: labelOf(name),
    description: textOf(schema, 'description').replace(/\.$/, '') || labelOf(name),
    group: '',
    type: typeOf(schema),
    required,
    sensitive,
    immutable: memberOf(schema, 'x-service-immutable') === true,
    multiline: /pem|certificate|hcl/i.test(textOf(schema, 'description')) && !sensitive,
    values: textsOf(schema, 'enum'),
    usual: asTyped(memberOf(schema, 'default')),
  };
}

/** A duration has two types, and is typed as a text such as `1h`. */
function typeOf(schema: Value): string {
  const type = textOf(schema, 'type') || 'string';
  return type === 'array' ? `array of ${textOf(schema, 'items', 'type') || 'string'}` : type;
}

/** `bound_cidrs` as "Bound CIDRs". */
function labelOf(name: string): string {
  const words = name.replace(/^token_/, '').replaceAll('_', ' ');
  const spelled = words.replace(/\b(id|ids|ttl|cidrs?|mfa|jwt|jwks|oidc|url|qr|ca|uri)\b/gi, (word) =>
    word.toLowerCase().endsWith('s') && word.length > 2 && word.toLowerCase() !== 'jwks'
      ? `${word.slice(0, -1).toUpperCase()}s`
      : word.toUpperCase(),
  );
  return `${spelled.slice(0, 1).toUpperCase()}${spelled.slice(1)}`;
}

export const groupOf = (label: string, fields: readonly FieldShape[]): readonly GroupShape[] => [
  { name: label, label, fields },
];

/** The stored values as they are typed. Sensitive fields are empty: they are never shown. */
export function typedOf(fields: readonly FieldShape[], stored: Value | undefined): Typed {
  return Object.fromEntries(
    fields.map(({ name, sensitive, type }) => {
      const value = memberOf(stored, name);
      if (sensitive) return [name, ''];
      return [
        name,
        isDeep(value) ? printJson(value ?? null, 1) : asTyped(value ?? (type === 'boolean' ? false : undefined)),
      ];
    }),
  );
}

/** Whether a map has members that one line cannot show. */
const isDeep = (value: Value | undefined): boolean =>
  isObject(value) && Object.values(value).some((one) => typeof one === 'object' && one !== null);

export interface SentFields {
  readonly body: { readonly [name: string]: Value };
  readonly problems: Readonly<Record<string, string>>;
}

/** The request for what was typed: what is not empty of a new thing, what changed of a stored one. An emptied field is sent as empty. */
export function sentFields(fields: readonly FieldShape[], typed: Typed, stored: Typed | undefined): SentFields {
  const body: Record<string, Value> = {};
  const problems: Record<string, string> = {};
  for (const field of fields) {
    const text = typed[field.name] ?? '';
    if (stored === undefined ? text === '' : text === (stored[field.name] ?? '')) {
      if (stored === undefined && field.required) problems[field.name] = `${field.label} is required.`;
      continue;
    }
    const made = text === '' ? { value: emptyOf(field) } : parsedField(field, text);
    if ('problem' in made) problems[field.name] = made.problem;
    else body[field.name] = made.value;
  }
  return { body, problems };
}

function emptyOf({ type }: FieldShape): Value {
  if (type.startsWith('array')) return [];
  if (type === 'object') return {};
  return type === 'integer' || type === 'number' ? 0 : '';
}

function parsedField(field: FieldShape, text: string): ReturnType<typeof asValue> {
  if (field.type !== 'object' || !text.trimStart().startsWith('{')) return asValue(field, text);
  try {
    return { value: parseJson(text) };
  } catch {
    return { problem: 'This must be a JSON object, or lines of key=value.' };
  }
}
