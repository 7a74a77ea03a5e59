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

/** Whether a write replaces all settings instead of those that it sends, as its summary says. */
export const replacesOf = (help: Value | undefined): boolean =>
  /\breplace\b/i.test(textOf(help, 'openapi', 'paths', '/', 'post', 'summary'));

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
  const words = name
    .replace(/^token_/, '')
    .replace(/^num_/, 'number_of_')
    .replace(/^meta$/, 'metadata')
    .replaceAll('_', ' ');
  const spelled = words.replace(/\b(id|ids|ttl|cidrs?|mfa|jwt|jwks|oidc|url|qr|ca|uri|pem)\b/gi, (word) =>
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

/** Whether lines cannot show a value: a map with other than texts, or a list with texts that lines or commas would split. */
function isDeep(value: Value | undefined): boolean {
  if (Array.isArray(value)) return value.some((one) => typeof one === 'object' || /[\n,]/.test(String(one)));
  return isObject(value) && Object.values(value).some((one) => typeof one === 'object' && one !== null);
}

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
  const given = text.trim();
  const isList = field.type.startsWith('array');
  if (isList && given.startsWith('-----BEGIN'))
    return { value: given.split(/(?<=-----END [^-]*-----)\s*/).filter(Boolean) };
  if (!(isList && given.startsWith('[')) && !(field.type === 'object' && given.startsWith('{')))
    return asValue(field, text);
  try {
    return { value: parseJson(given) };
  } catch {
    return { problem: isList ? 'This is not a JSON list.' : 'This is not a JSON object.' };
  }
}
