import { z } from 'zod';
import type { FieldMeta } from './fields.ts';

/** What the field's `.meta()` says, wherever in `.optional()`, `.default()` and the like it was written. */
export function fieldMeta(field: z.ZodType): Partial<FieldMeta> {
  const outer = field.meta() ?? {};
  const inner = unwrapped(field);
  const {
    description,
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

/** Whether a request may leave the field out. */
export const isOptional = (field: z.ZodType): boolean => field.safeParse(undefined).success;

/** The names of the members of a field that is an object with a fixed set of them; undefined: it is none. */
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
