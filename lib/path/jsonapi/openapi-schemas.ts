import { z } from 'zod';
import type { BodyForm, BodySchema, Relations } from './input.ts';

export const mediaType = 'application/vnd.api+json';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The `requestBody` of an operation. */
export function bodyOf({ form, optional }: BodySchema<unknown>): object {
  const type = form.kind === 'bytes' ? 'application/octet-stream' : mediaType;
  return { ...(optional ? {} : { required: true }), content: { [type]: { schema: schemaOf(form) } } };
}

function schemaOf(form: BodyForm): object {
  if (form.kind === 'bytes') return { type: 'string', format: 'binary' };
  if (form.kind === 'other') return form.schema;
  if (form.kind === 'document') return withData(resourceOf(form.type, form.attributes, form.relationships));
  const item = form.kind === 'identifiers' ? identifierOf(form.type) : resourceOf(form.type, form.attributes, {});
  return withData({ type: 'array', items: item });
}

const withData = (data: object): object => ({ type: 'object', required: ['data'], properties: { data } });

const identifierOf = (type: string): object => ({
  allOf: [{ $ref: '#/components/schemas/Identifier' }, { properties: { type: { type: 'string', enum: [type] } } }],
});

function resourceOf(type: string | undefined, attributes: Shape, relationships: Relations): object {
  const fields = Object.entries(attributes).map(([name, field]) => [name, attributeOf(field)]);
  const related = Object.entries(relationships).map(([name, to]) => [name, relationOf(to)]);
  return {
    type: 'object',
    ...(type === undefined ? {} : { required: ['type'] }),
    properties: {
      type: { type: 'string', ...(type === undefined ? {} : { enum: [type] }) },
      ...(fields.length === 0 ? {} : { attributes: { type: 'object', properties: Object.fromEntries(fields) } }),
      ...(related.length === 0 ? {} : { relationships: { type: 'object', properties: Object.fromEntries(related) } }),
    },
  };
}

const relationOf = (to: string | readonly [string]): object =>
  withData(
    typeof to === 'string'
      ? { nullable: true, allOf: [{ $ref: '#/components/schemas/Identifier' }] }
      : { type: 'array', items: { type: 'object' } },
  );

/** Keywords that zod writes and OpenAPI 3.0 does not have. */
const foreign = ['$schema', '$id', 'id', 'propertyNames', 'const', 'examples', '~standard'];

/** The schema of an attribute as clients send it. */
function attributeOf(field: z.ZodType): object {
  const made = z.toJSONSchema(field, {
    io: 'input',
    target: 'openapi-3.0',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      for (const key of foreign) Reflect.deleteProperty(jsonSchema, key);
    },
  });
  return Object.fromEntries(Object.entries(made).filter(([key]) => !foreign.includes(key)));
}

const text = { type: 'string' };

/** Schemas shared by all operations, and the security scheme of tokens. */
export const components = {
  schemas: {
    Resource: {
      type: 'object',
      required: ['id', 'type'],
      properties: {
        id: text,
        type: text,
        attributes: { type: 'object' },
        relationships: { type: 'object' },
        links: { type: 'object' },
      },
    },
    Identifier: { type: 'object', required: ['id', 'type'], properties: { id: text, type: text } },
    Errors: {
      type: 'object',
      required: ['errors'],
      properties: {
        errors: {
          type: 'array',
          items: {
            type: 'object',
            required: ['status', 'title'],
            properties: {
              status: text,
              title: text,
              detail: text,
              source: { type: 'object', properties: { pointer: text } },
            },
          },
        },
      },
    },
  },
  securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
};
