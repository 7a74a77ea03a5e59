import { z } from 'zod';
import type { FieldMeta } from './fields.ts';

/** The `.meta()` of a field, also when the field is wrapped in `.optional()`, `.default()` and the like. */
export function fieldMeta(field: z.ZodType): Partial<FieldMeta> {
  const outer = field.meta() ?? {};
  const inner = unwrapped(field);
  const {
    description,
    label,
    group,
    multiline,
    sensitive,
    immutable,
    routes,
    kept,
    formerNameOf,
    namesFile,
    members,
    in: location,
  } = { ...(inner === undefined ? {} : fieldMeta(inner)), ...outer };
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof label === 'string' ? { label } : {}),
    ...(typeof group === 'string' ? { group } : {}),
    ...(multiline === true ? { multiline } : {}),
    ...(sensitive === true ? { sensitive } : {}),
    ...(immutable === true ? { immutable } : {}),
    ...(routes === true ? { routes } : {}),
    ...(kept === true ? { kept } : {}),
    ...(typeof formerNameOf === 'string' ? { formerNameOf } : {}),
    ...(namesFile === true ? { namesFile } : {}),
    ...(Array.isArray(members) ? { members } : {}),
    ...(location === 'path' ? { in: location } : {}),
  };
}

/** Whether a request may omit the field. */
export const isOptional = (field: z.ZodType): boolean => field.safeParse(undefined).success;

/** The names of the members of a field that is an object with fixed members; undefined for other fields. */
export const membersOf = (field: z.ZodType): readonly string[] | undefined =>
  fieldMeta(field).members ?? shapeOf(field);

function shapeOf(field: z.ZodType): readonly string[] | undefined {
  if (field instanceof z.ZodObject) return Object.keys(field.shape);
  const inner = unwrapped(field);
  return inner && shapeOf(inner);
}

function unwrapped(field: z.ZodType): z.ZodType | undefined {
  if (field instanceof z.ZodOptional || field instanceof z.ZodNullable || field instanceof z.ZodReadonly) {
    return asType(field.unwrap());
  }
  if (field instanceof z.ZodDefault || field instanceof z.ZodPrefault) return asType(field.unwrap());
  return field instanceof z.ZodPipe ? asType(field.out) : undefined;
}

function asType(inner: unknown): z.ZodType | undefined {
  return inner instanceof z.ZodType ? inner : undefined;
}
