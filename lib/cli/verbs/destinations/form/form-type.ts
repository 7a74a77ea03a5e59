import { isObject, memberOf, textOf, textsOf, type Value } from '#client/wire/json.ts';

/** A field as a form needs it. */
export interface FormField {
  readonly name: string;
  readonly label: string;
  readonly group: string;
  readonly form: 'text' | 'number' | 'flag' | 'list' | 'map';
  readonly isRequired: boolean;
  readonly isSensitive: boolean;
  readonly isMultiline: boolean;
  /** The only values; empty when any is allowed. */
  readonly values: readonly string[];
  /** The default as a text; empty without one. */
  readonly otherwise: string;
}

/** Which fields depend on each other. */
export interface Relation {
  readonly kind: string;
  readonly fields: readonly string[];
  readonly field: string;
  readonly values: readonly string[];
  readonly sets: readonly (readonly string[])[];
}

/** A destination type, from the reply of `sys/sync/types/<type>`. */
export function typeForm(data: Value | undefined): {
  readonly title: string;
  readonly fields: readonly FormField[];
  readonly relations: readonly Relation[];
} {
  return {
    title: textOf(data, 'title'),
    fields: itemsOf(data, 'fields').map(fieldOf),
    relations: itemsOf(data, 'relations').map((relation) => ({
      kind: textOf(relation, 'kind'),
      fields: textsOf(relation, 'fields'),
      field: textOf(relation, 'field'),
      values: textsOf(relation, 'values'),
      sets: itemsOf(relation, 'sets').map((set) => textsOf({ set }, 'set')),
    })),
  };
}

const forms: Readonly<Record<string, FormField['form']>> = { integer: 'number', boolean: 'flag', object: 'map' };

function fieldOf(field: Value): FormField {
  const type = textOf(field, 'type');
  return {
    name: textOf(field, 'name'),
    label: textOf(field, 'label'),
    group: textOf(field, 'group'),
    form: type.startsWith('array') ? 'list' : (forms[type] ?? 'text'),
    isRequired: memberOf(field, 'required') === true,
    isSensitive: memberOf(field, 'sensitive') === true,
    isMultiline: memberOf(field, 'multiline') === true,
    values: textsOf(field, 'values'),
    otherwise: textOf(field, 'default'),
  };
}

function itemsOf(value: Value | undefined, key: string): readonly Value[] {
  const items = isObject(value) ? value[key] : undefined;
  return Array.isArray(items) ? items : [];
}
