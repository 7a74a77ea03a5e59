import type { z } from 'zod';
import { LongText } from '#core/json/long-text.ts';
import type { Operation } from '../contract/row.ts';
import { schemaOf } from '../documents/schema.ts';
import type { Fields } from '../fields.ts';
import { fieldMeta } from '../meta.ts';
import { canonicalField, fieldKey } from '../vocabulary.ts';

/** The parameters of a request as policies check them: each member as sent, and as the operation reads it. */
export interface Parameters {
  /** Keys of the fields for which the operation gets a value. */
  readonly given: ReadonlySet<string>;
  readonly members: readonly Parameter[];
}

export interface Parameter {
  /** First the key of the member's name, then those of the older or newer names of the same field. */
  readonly keys: readonly [string, ...string[]];
  readonly sent: unknown;
  /** The operation accepts several values, so a text with commas is a list. */
  readonly many: boolean;
  /** Converts a value, from the request or from a rule, as the operation reads it; undefined when it is not valid. */
  readonly read: (value: unknown) => unknown;
}

const none: Parameters = { given: new Set(), members: [] };
export const noParameters = (): Parameters => none;

/** `operation` is undefined when the path has none; then nothing is converted. */
export function parametersOf(operation: Operation | undefined, data: Readonly<Record<string, unknown>>): Parameters {
  const fields = checkedFields(operation);
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

/** An operation with fields does not read a name in another case, and ignores a null that the field does not accept. */
function givenKeys(
  operation: Operation | undefined,
  name: string,
  sent: unknown,
  field: CheckedField | undefined,
): readonly string[] {
  if (operation?.marks.anyFields === true) return [fieldKey(name)];
  if (field === undefined) return [name];
  const isRead = name === field.name || canonicalField(name) === field.name;
  return isRead && (sent !== null || field.read(null) !== undefined) ? [fieldKey(name), ...field.others] : [];
}

interface CheckedField extends Pick<Parameter, 'many' | 'read'> {
  readonly name: string;
  /** Keys of the field's other names. */
  readonly others: readonly string[];
}

const checked = new WeakMap<Operation, ReadonlyMap<string, CheckedField>>();
const noFields: ReadonlyMap<string, CheckedField> = new Map();

/** The fields of an operation by their keys, computed once. */
function checkedFields(operation: Operation | undefined): ReadonlyMap<string, CheckedField> {
  if (operation === undefined) return noFields;
  const known = checked.get(operation);
  if (known !== undefined) return known;
  const { fields } = operation;
  const found = new Map(
    Object.entries(fields).map(([name, field]) => {
      const others = otherNames(fields, name).map(fieldKey);
      return [fieldKey(name), { name, others, many: takesMany(field), read: reading(field) }] as const;
    }),
  );
  checked.set(operation, found);
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
