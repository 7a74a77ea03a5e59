import { z } from 'zod';
import type { FieldMeta, Fields } from '#path/fields.ts';
import { fieldMeta, isOptional } from '#path/meta.ts';

/**
 * The fields in the form for a request that writes a whole resource. An optional field that is left out stays absent (or null)
 * instead of getting its default, so that the given fields are known. The default is shown in the schema.
 */
export const asWrite = (fields: Fields): Fields =>
  mapped(fields, (field) => {
    if (!isOptional(field)) return field;
    const usual: unknown = field.safeParse(undefined).data;
    return settable(field, usual === undefined ? {} : { default: usual });
  });

/** The fields in the form for a merge patch: all optional, without defaults, and nullable to reset them. */
export const asMerge = (fields: Fields): Fields => mapped(fields, (field) => settable(field, {}));

const mapped = (fields: Fields, change: (field: z.ZodType) => z.ZodType): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, change(field)]));

/** Treats an empty string as null, because clients send it for options that are not set. */
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

/** The names of the fields that have this mark in their meta. */
export const namesWith = (fields: Fields, mark: 'sensitive' | 'immutable' | 'routes' | 'kept' | 'namesFile') =>
  Object.keys(fields).filter((name) => {
    const field = fields[name];
    return field !== undefined && metaOf(field)[mark] === true;
  });
