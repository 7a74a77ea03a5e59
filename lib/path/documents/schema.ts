import { z } from 'zod';
import { fieldMeta } from '../meta.ts';

/** An OpenAPI 3.0 schema object. */
export type Schema = Readonly<Record<string, unknown>>;

const known = new WeakMap<z.ZodType, Schema>();

/** The schema of a field, built once; a sensitive one is of format `password` and shows no default. */
export function schemaOf(field: z.ZodType): Schema {
  let schema = known.get(field);
  if (schema === undefined) {
    schema = build(field);
    known.set(field, schema);
  }
  return schema;
}

/** The schema's type in a word, for people. */
export function typeOf(field: z.ZodType): string {
  const { type, items } = schemaOf(field);
  if (typeof type !== 'string') return 'any';
  if (type !== 'array' || typeof items !== 'object' || items === null) return type;
  return 'type' in items ? `array of ${String(items.type)}` : 'array';
}

/** What `.meta()` holds for us and what JSON Schema has but OpenAPI 3.0 has not. */
const foreign = [
  ...(['sensitive', 'immutable', 'routes', 'kept', 'formerNameOf', 'namesFile', 'in'] as const),
  ...(['$schema', '$id', 'id', 'propertyNames', 'const', 'examples'] as const),
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
  if (immutable) schema['x-service-immutable'] = true;
  return schema;
}
