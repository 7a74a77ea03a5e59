import { z } from 'zod';
import type { DestinationDefinition } from '../../../destinations/contract.ts';
import { networkFields } from '../../../destinations/frame/fields/network.ts';
import { own } from '../../../destinations/frame/fields/own.ts';
import { bool, type FieldMeta, type Fields, text, textList, textMap, textMapPatch } from '../../../path/fields.ts';
import { fieldMeta, isOptional } from '../../../path/meta.ts';
import { templateLengthMax } from '../../template/parse.ts';

/** Fields of every destination type (docs/destinations/README.md). */
export const commonFields = (definition: DestinationDefinition) => ({
  secret_name_template: text(templateLengthMax)
    .optional()
    .meta({ description: 'Template of the names at the destination; empty: the default of the type' }),
  granularity: text()
    .pipe(z.enum(['secret-path', 'secret-key'], { error: 'granularity is "secret-path" or "secret-key"' }))
    .optional()
    .meta({ description: `What becomes an object of its own. Default: ${definition.granularity}` }),
  adopt: bool()
    .default(false)
    .meta({ description: 'Take over objects of the same name that the sync did not write', ...own }),
  ...(definition.tags === undefined
    ? {}
    : { custom_tags: textMap().optional().meta({ description: 'Tags for the objects, beside the built-in ones' }) }),
  ...networkFields,
});

/** Fields that a merge alone takes, or takes in another form. */
export const mergeFields = (definition: DestinationDefinition) =>
  definition.tags === undefined
    ? {}
    : {
        custom_tags: textMapPatch()
          .nullable()
          .optional()
          .meta({ description: 'Tags for the objects, beside those that are there; null takes a tag away' }),
        tags_to_remove: textList().optional().meta({ description: 'Keys of custom tags to remove' }),
      };

/**
 * The same fields for a request that writes the whole: a field that may be left out is null, or absent, instead of its default,
 * so that what was given is known. The default is in the schema.
 */
export const asWrite = (fields: Fields): Fields =>
  mapped(fields, (field) => {
    if (!isOptional(field)) return field;
    const usual: unknown = field.safeParse(undefined).data;
    return settable(field, usual === undefined ? {} : { default: usual });
  });

/** The same fields, all of them optional, without defaults, and null to set a field back. */
export const asMerge = (fields: Fields): Fields => mapped(fields, (field) => settable(field, {}));

const mapped = (fields: Fields, change: (field: z.ZodType) => z.ZodType): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));

/** Clients send options that are not set as empty texts; null says the same. */
const settable = (field: z.ZodType, more: object): z.ZodType =>
  z
    .preprocess((value) => (value === '' ? null : value), bare(field).nullable())
    .optional()
    .meta({ ...fieldMeta(field), ...more });

function bare(field: z.ZodType): z.ZodType {
  if (field instanceof z.ZodOptional || field instanceof z.ZodDefault || field instanceof z.ZodNullable) {
    return bare(field.unwrap() as z.ZodType);
  }
  return field;
}

export const metaOf = (field: z.ZodType): FieldMeta => ({ description: '', ...fieldMeta(field) });

export const isSensitive = (fields: Fields, name: string): boolean => {
  const field = fields[name];
  return field !== undefined && metaOf(field).sensitive === true;
};

/** Names of the fields whose meta says this. */
export const namesWith = (fields: Fields, mark: 'sensitive' | 'immutable' | 'routes' | 'kept' | 'namesFile') =>
  Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field !== undefined && metaOf(field)[mark] === true;
  });
