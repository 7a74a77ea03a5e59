import type { DestinationDefinition, NameRule, TagRule } from '#destinations/contract.ts';
import { groups } from '#destinations/frame/fields/form.ts';
import type { Vocabulary } from '#path/contract/request.ts';
import { schemaOf, typeOf } from '#path/documents/schema.ts';
import type { Fields } from '#path/fields.ts';
import { fieldMeta, isOptional } from '#path/meta.ts';
import { typeIn } from '../../model/definition.ts';
import { commonFields } from '../destinations/fields.ts';

/** The rows `destinations/<type>/:name` take the same fields. */
const fieldsOf = (definition: DestinationDefinition): Fields => ({ ...definition.fields, ...commonFields(definition) });

/** A destination type as forms need it. */
export function typeView(definition: DestinationDefinition, vocabulary: Vocabulary): object {
  const { alias, title, granularity, templates, valueBytesMax, refusesEmpty, relations = [], links } = definition;
  return {
    type: typeIn(definition, vocabulary),
    alias,
    title,
    granularity: { default: granularity, allowed: Object.keys(templates) },
    templates,
    names: nameView(definition.names),
    values: { bytes_max: valueBytesMax, may_be_empty: refusesEmpty !== true },
    tags: definition.tags === undefined ? null : tagView(definition.tags),
    links,
    groups: Object.entries(groups).map(([name, label]) => ({ name, label })),
    fields: fieldViews(fieldsOf(definition)),
    relations,
  };
}

const nameView = ({ lengthMax, pattern, text }: NameRule): object => ({
  characters_max: lengthMax,
  pattern: pattern.source,
  rule: text,
});

/** Of the tags that an object may have, the built-in ones are ours. */
const tagView = ({ countMax, keyLengthMax, valueLengthMax, builtIn }: TagRule): object => ({
  count_max: countMax - Object.keys(builtIn('')).length,
  key_characters_max: keyLengthMax,
  value_characters_max: valueLengthMax,
});

/** The fields by group, and within a group in the order of the definition. */
function fieldViews(fields: Fields): readonly object[] {
  const order = Object.keys(groups);
  const placeOf = (name: string) => order.indexOf(groupOf(fields, name));
  const names = Object.keys(fields).sort((one, other) => placeOf(one) - placeOf(other));
  return names.map((name, index) => fieldView(fields, name, index + 1));
}

const groupOf = (fields: Fields, name: string): string => {
  const field = fields[name];
  return (field && fieldMeta(field).group) ?? '';
};

function fieldView(fields: Fields, name: string, order: number): object {
  const field = fields[name];
  if (field === undefined) return {};
  const { label = name, description = '', group, sensitive, immutable, multiline, kept } = fieldMeta(field);
  const schema = schemaOf(field);
  const values = enumOf(schema) ?? enumOf(schema['items']);
  return {
    name,
    label,
    description,
    group,
    order,
    type: typeOf(field),
    required: !isOptional(field),
    sensitive: sensitive === true,
    immutable: immutable === true,
    multiline: multiline === true,
    // A replacing write that omits the field keeps its value.
    kept: kept === true,
    ...(schema['default'] === undefined ? {} : { default: schema['default'] }),
    ...(values === undefined ? {} : { values }),
  };
}

/** The only values of a schema. */
const enumOf = (schema: unknown): readonly unknown[] | undefined =>
  typeof schema === 'object' && schema !== null && 'enum' in schema && Array.isArray(schema.enum)
    ? schema.enum
    : undefined;
