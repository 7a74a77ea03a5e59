import { z } from 'zod';
import { isDuration } from '../fields.ts';
import { fieldMeta } from '../meta.ts';

/** An OpenAPI 3.0 schema object. */
export type Schema = Readonly<Record<string, unknown>>;

const known = new WeakMap<z.ZodType, Schema>();

/** The schema of a field, built once. A sensitive field has the format `password` and shows no default. */
export function schemaOf(field: z.ZodType): Schema {
  let schema = known.get(field);
  if (schema === undefined) {
    schema = build(field);
    known.set(field, schema);
  }
  return schema;
}

/** The type of the schema in a word, for help texts. */
export function typeOf(field: z.ZodType): string {
  const { type, items, oneOf } = schemaOf(field);
  if (Array.isArray(oneOf)) return oneOf.map((one) => shownType(one.type)).join(' or ');
  if (typeof type !== 'string') return 'any';
  if (type !== 'array' || typeof items !== 'object' || items === null) return type;
  return 'type' in items ? `array of ${String(items.type)}` : 'array';
}

/** The word for a JSON type in help texts. */
const shownType = (type: string): string => (type === 'string' ? 'text' : type);

/** A duration is a number of seconds or a text with units. A client generated from the document may send either. */
function alsoAcceptText(schema: Record<string, unknown>): void {
  const { type, minimum, maximum } = schema;
  if (type !== 'integer') return;
  for (const key of ['type', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']) delete schema[key];
  schema['oneOf'] = [
    { type: 'integer', ...(minimum === undefined ? {} : { minimum }), ...(maximum === undefined ? {} : { maximum }) },
    { type: 'string', example: '1h30m' },
  ];
}

/** Our own keys of `.meta()`, and keys of JSON Schema that OpenAPI 3.0 does not have. */
const foreign = [
  'label',
  'group',
  'multiline',
  'sensitive',
  'immutable',
  'routes',
  'kept',
  'formerNameOf',
  'namesFile',
  'members',
  'in',
  '$schema',
  '$id',
  'id',
  'propertyNames',
  'const',
  'examples',
] as const;

function build(field: z.ZodType): Schema {
  const { sensitive, immutable } = fieldMeta(field);
  const made = z.toJSONSchema(field, {
    io: 'output',
    target: 'openapi-3.0',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      for (const key of foreign) delete jsonSchema[key];
    },
  });
  const schema: Record<string, unknown> = Object.fromEntries(
    Object.entries(made).filter(([key]) => key !== '~standard'),
  );
  if (sensitive) {
    delete schema['default'];
    schema['format'] = 'password';
  }
  if (isDuration(field)) alsoAcceptText(schema);
  if (immutable) schema['x-service-immutable'] = true;
  return schema;
}
