import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';
import { asTyped, type FieldShape, type GroupShape } from '#ui/form/shape.ts';
import type { Row } from './rows.ts';

/** Where a field of a request goes: its name in a form is `place:name`. */
export type Place = 'path' | 'query' | 'body' | 'attributes' | 'relationships' | 'whole';

const labels: Readonly<Record<Place, string>> = {
  path: 'Path',
  query: 'Query',
  body: 'Body',
  attributes: 'Attributes',
  relationships: 'Relationships',
  whole: 'Body',
};

/** The form of a row: the parameters of its path and query, and the fields of its body. */
export function formOf(row: Row): readonly GroupShape[] {
  const inPlace = (place: 'path' | 'query') =>
    row.parameters
      .filter((one) => textOf(one, 'in') === place)
      .map((one) => fieldOf(place, textOf(one, 'name'), described(one), memberOf(one, 'required') === true));
  const groups = [groupOf('path', inPlace('path')), groupOf('query', inPlace('query')), ...bodyOf(row)];
  return groups.filter(({ fields }) => fields.length > 0);
}

/** A parameter describes itself outside of its schema. */
const described = (parameter: Value): Value => {
  const schema = memberOf(parameter, 'schema');
  return { description: textOf(parameter, 'description'), ...(isObject(schema) ? schema : {}) };
};

const groupOf = (place: Place, fields: readonly FieldShape[]): GroupShape => ({
  name: place,
  label: labels[place],
  fields,
});

function bodyOf({ body, takesFile }: Row): readonly GroupShape[] {
  if (body === undefined || takesFile) return [];
  const data = memberOf(body, 'properties', 'data');
  // A JSON:API document about one resource.
  if (memberOf(data, 'properties', 'type') !== undefined)
    return [
      groupOf('attributes', fieldsOf('attributes', memberOf(data, 'properties', 'attributes'))),
      groupOf(
        'relationships',
        namesIn(memberOf(data, 'properties', 'relationships')).map((name) =>
          fieldOf('relationships', name, related, false),
        ),
      ),
    ];
  const rest = memberOf(body, 'additionalProperties') === true || namesIn(body).length === 0;
  return [
    groupOf('body', fieldsOf('body', body)),
    groupOf('whole', rest ? [fieldOf('whole', 'fields', others, false)] : []),
  ];
}

const related: Value = { description: 'Such as {"data": {"type": "workspaces", "id": "ws-…"}}' };
const others: Value = { description: 'Fields that have no field of their own here', type: 'object' };

const namesIn = (schema: Value | undefined): readonly string[] => {
  const properties = memberOf(schema, 'properties');
  return isObject(properties) ? Object.keys(properties) : [];
};

const fieldsOf = (place: Place, schema: Value | undefined): readonly FieldShape[] => {
  const required = textsOf(schema, 'required');
  return namesIn(schema).map((name) =>
    fieldOf(place, name, memberOf(schema, 'properties', name) ?? null, required.includes(name)),
  );
};

function fieldOf(place: Place, name: string, schema: Value, required: boolean): FieldShape {
  return {
    name: `${place}:${name}`,
    label: name,
    description: textOf(schema, 'description').replace(/\.$/, ''),
    group: place,
    type: typeOf(schema),
    required,
    sensitive: textOf(schema, 'format') === 'password',
    immutable: false,
    multiline: false,
    values: textsOf(schema, 'enum').filter((one) => one !== ''),
    usual: asTyped(memberOf(schema, 'default')),
  };
}

/** The type of a field in a form. What can be several things, or has a structure of its own, is typed as JSON. */
function typeOf(schema: Value): string {
  const type = textOf(schema, 'type');
  if (type === 'array') return arrayOf(textOf(schema, 'items', 'type'));
  if (type === 'object') return namesIn(schema).length > 0 ? 'json' : 'object';
  if (type !== '') return type;
  // A duration is a number or a text, and the server reads a text of digits as a number.
  const several = memberOf(schema, 'oneOf');
  return Array.isArray(several) && several.some((one: Value) => textOf(one, 'type') === 'string') ? 'string' : 'json';
}

const arrayOf = (item: string): string =>
  item === 'integer' ? 'array of integer' : item === 'string' ? 'array of string' : 'json';
