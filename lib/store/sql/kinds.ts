import { z } from 'zod';

/**
 * What a column of a result holds, as `pg` returns it. The type of a row is inferred from the kinds of its columns; tests check
 * every value against its kind.
 */
export interface Kind<Read, Written = Read> {
  /** Used in mismatch messages. */
  readonly name: string;
  readonly is: (value: unknown) => value is Read;
  /** For the type checker only: the type that an insert or update takes. */
  readonly writes?: (value: Written) => void;
}

/** PostgreSQL fills the column when an insert omits it. */
export type WithDefault<K> = K & { readonly hasDefault: true };
/** Only PostgreSQL writes the column. */
export type Generated<K> = K & { readonly isGenerated: true };

export const text = kind('text', isText);
export const uuid = kind(
  'uuid',
  (value): value is string => isText(value) && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value),
);
export const bool = kind('boolean', (value): value is boolean => typeof value === 'boolean');
/** `smallint` and `integer`. */
export const int = kind('integer', (value): value is number => Number.isSafeInteger(value));
/** `real` and `double precision`. */
export const float = kind('float', (value): value is number => typeof value === 'number');
/** `bigint`, which `pg` returns as text because it may exceed the exact range of a number. */
export const bigintText = kind('bigint as text', (value): value is string => isText(value) && /^-?\d+$/.test(value));
export const bytea = kind('bytea', (value): value is Buffer => Buffer.isBuffer(value));
/** `timestamptz`, except the infinite values. */
export const timestamptz = kind('timestamptz', (value): value is Date => value instanceof Date);
/** `json` and `jsonb` of any shape: read as parsed data, written as JSON text. The column may hold the JSON value null. */
export const json: Kind<unknown, string> = { name: 'json', is: (value): value is unknown => value !== undefined };

/** `json` and `jsonb` that match a schema. */
export function jsonOf<T>(schema: z.ZodType<T>): Kind<T, string> {
  return { name: 'json that matches its schema', is: (value): value is T => schema.safeParse(value).success };
}

/** JSON objects that match a schema but may lack any member, such as settings that an earlier version stored. */
export function partialJsonOf<Form extends z.ZodObject>(form: Form): Kind<Readonly<Partial<z.infer<Form>>>, string> {
  const schema = form.partial();
  return {
    name: 'json that matches a part of its schema',
    is: (value): value is Partial<z.infer<Form>> => schema.safeParse(value).success,
  };
}

/** A `jsonb` object. */
export const jsonObject: Kind<Readonly<Record<string, unknown>>, string> = jsonOf(z.record(z.string(), z.unknown()));
/** A `jsonb` object whose values are strings. */
export const textMap: Kind<Readonly<Record<string, string>>, string> = jsonOf(z.record(z.string(), z.string()));

/** One of these texts. */
export function oneOf<const T extends string>(...texts: readonly T[]): Kind<T> {
  const known: ReadonlySet<unknown> = new Set(texts);
  return { name: texts.join(' | '), is: (value): value is T => known.has(value) };
}

export function arrayOf<T>({ name, is }: Kind<T>): Kind<readonly T[]> {
  return { name: `${name}[]`, is: (value): value is readonly T[] => Array.isArray(value) && value.every(is) };
}

export function nullable<Read, Written>(one: Kind<Read, Written>): Kind<Read | null, Written | null> {
  return { name: `${one.name} | null`, is: (value): value is Read | null => value === null || one.is(value) };
}

export const withDefault = <K extends Kind<unknown, never>>(one: K): WithDefault<K> => ({ ...one, hasDefault: true });
export const generated = <K extends Kind<unknown, never>>(one: K): Generated<K> => ({ ...one, isGenerated: true });

function kind<T>(name: string, is: (value: unknown) => value is T): Kind<T> {
  return { name, is };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
