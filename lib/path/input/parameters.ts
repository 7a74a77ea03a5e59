import type { z } from 'zod';
import { LongText } from '../../core/json/long-text.ts';
import type { Operation } from '../contract/row.ts';
import { schemaOf } from '../documents/schema.ts';
import type { Fields } from '../fields.ts';
import { fieldMeta } from '../meta.ts';
import { canonicalField, fieldKey } from '../vocabulary.ts';

/** What a request brings beside its path, as policies judge it: each member as it was sent, and as the operation reads it. */
export interface Parameters {
  /** Keys of the fields that the operation gets a value for. */
  readonly given: ReadonlySet<string>;
  readonly members: readonly Parameter[];
}

export interface Parameter {
  /** Of the member's name first, then of the older or newer names of the same field. */
  readonly keys: readonly [string, ...string[]];
  readonly sent: unknown;
  /** The operation takes many values, so a text with commas stands for its elements. */
  readonly many: boolean;
  /** A value, be it the one that was sent or one of a rule, as the operation reads it; undefined: it cannot. */
  readonly read: (value: unknown) => unknown;
}

const none: Parameters = { given: new Set(), members: [] };
export const noParameters = (): Parameters => none;

/** `operation`: undefined where the path has none, so nothing is read. */
export function parametersOf(operation: Operation | undefined, data: Readonly<Record<string, unknown>>): Parameters {
  const fields = judgedFields(operation);
  const given = new Set<string>();
  const members = Object.entries(data).map(([name, value]): Parameter => {
    const key = fieldKey(name);
    const field = fields.get(key);
    const sent = value instanceof LongText ? value.toJSON() : value;
    for (const one of givenKeys(operation, name, sent, field)) given.add(one);
    return { keys: [key, ...(field?.others ?? [])], sent, many: field?.many === true, read: field?.read ?? unread };
  });
  return { given, members };
}

/** Another case is another name to an operation that has fields, and a null that a field does not take is left out. */
function givenKeys(
  operation: Operation | undefined,
  name: string,
  sent: unknown,
  field: JudgedField | undefined,
): readonly string[] {
  if (operation?.marks.anyFields === true) return [fieldKey(name)];
  if (field === undefined) return [name];
  const isRead = name === field.name || canonicalField(name) === field.name;
  return isRead && (sent !== null || field.read(null) !== undefined) ? [fieldKey(name), ...field.others] : [];
}

interface JudgedField extends Pick<Parameter, 'many' | 'read'> {
  readonly name: string;
  /** Keys of the field's other names. */
  readonly others: readonly string[];
}

const judged = new WeakMap<Operation, ReadonlyMap<string, JudgedField>>();
const noFields: ReadonlyMap<string, JudgedField> = new Map();

/** The fields of an operation by their keys, found out once. */
function judgedFields(operation: Operation | undefined): ReadonlyMap<string, JudgedField> {
  if (operation === undefined) return noFields;
  const known = judged.get(operation);
  if (known !== undefined) return known;
  const { fields } = operation;
  const found = new Map(
    Object.entries(fields).map(([name, field]) => {
      const others = otherNames(fields, name).map(fieldKey);
      return [fieldKey(name), { name, others, many: takesMany(field), read: reading(field) }] as const;
    }),
  );
  judged.set(operation, found);
  return found;
}

function otherNames(fields: Fields, name: string): readonly string[] {
  const newest = newestName(fields, name);
  return Object.keys(fields).filter((other) => other !== name && newestName(fields, other) === newest);
}

const newestName = (fields: Fields, name: string): string => {
  const field = fields[name];
  return (field && fieldMeta(field).formerNameOf) ?? name;
};

function takesMany(field: z.ZodType): boolean {
  const { type } = schemaOf(field);
  return type === 'array' || type === 'object';
}

const reading = (field: z.ZodType) => (value: unknown) => {
  const result = field.safeParse(value);
  return result.success ? result.data : undefined;
};

const unread = (): undefined => undefined;
