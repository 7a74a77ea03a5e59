import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DestinationDefinition } from '#destinations/contract.ts';
import { groups } from '#destinations/frame/fields/form.ts';
import { definitions } from '#destinations/index.ts';
import { loadFake } from '#destinations/load.ts';
import { inputReader } from '#path/input/parse.ts';
import { checkImmutable } from '#sync/rows/destinations/guard/credentials.ts';
import { maskedConnection } from '#sync/rows/fields/mask.ts';
import { syncRows } from '#sync/rows/index.ts';
import { typeView } from '#sync/rows/types/view.ts';

interface Field {
  readonly [name: string]: unknown;
  readonly name: string;
  readonly label: string;
  readonly group: string;
}

const viewOf = (definition: DestinationDefinition) =>
  typeView(definition, 'canonical') as {
    readonly fields: readonly Field[];
    readonly names: { readonly pattern: string; readonly characters_max: number };
    readonly tags: { readonly count_max: number; readonly key_characters_max: number } | null;
    readonly links: readonly { readonly url: string }[];
  };

const rowOf = ({ type }: DestinationDefinition) => {
  const rows = syncRows({ definitions } as never);
  const write = rows.find(({ pattern }) => pattern === `sync/destinations/${type}/:name`)?.operations.write;
  if (write === undefined) throw new Error(`no row of type ${type}`);
  return write;
};

describe.each(definitions)('the form of $type', (definition) => {
  const view = viewOf(definition);

  test('has every field of the row once, each with a label of its own, a group and a place', () => {
    const { name, ...taken } = rowOf(definition).fields;
    expect(view.fields.map((field) => field.name).sort()).toEqual(Object.keys(taken).sort());
    const labels = view.fields.map(({ label }) => label);
    expect(new Set(labels).size).toBe(labels.length);
    for (const field of view.fields) {
      expect(field.label, field.name).toMatch(/^[A-Z]\S*( \S+)*$/);
      expect(field.label, field.name).not.toContain('_');
      expect(Object.keys(groups), field.name).toContain(field.group);
    }
    const places = view.fields.map(({ group }) => Object.keys(groups).indexOf(group));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(view.fields.map(({ order }) => order)).toEqual(view.fields.map((_field, index) => index + 1));
  });

  test('says of each field whether the row requires it', () => {
    const read = inputReader(rowOf(definition));
    const parsed = read({ parameters: { name: 'x' }, data: {} });
    const missing = parsed.ok ? [] : parsed.problems.flatMap(({ fields }) => fields);
    expect(view.fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(
      expect.arrayContaining([...missing]),
    );
    expect(view.fields.filter(({ required }) => required)).toHaveLength(missing.length);
  });

  test('says of each field whether reads mask it', () => {
    const all = Object.fromEntries(Object.keys(definition.fields).map((name) => [name, 'value']));
    const masked = Object.entries(maskedConnection(definition, all)).flatMap(([name, value]) =>
      value === 'value' ? [] : [name],
    );
    expect(
      view.fields
        .filter(({ sensitive }) => sensitive)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(masked.sort());
  });

  test('says of each field whether it may change', () => {
    for (const { name, immutable } of view.fields.filter((field) => Object.hasOwn(definition.fields, field.name))) {
      const plain = { ...definition, fixed: () => ({}) };
      const change = () => checkImmutable(plain, { [name]: 'before' }, { [name]: 'after' });
      if (immutable) expect(change, name).toThrow(name);
      else expect(change, name).not.toThrow();
    }
  });

  test('offers only values and defaults that the row accepts', () => {
    const { fields } = rowOf(definition);
    for (const field of view.fields) {
      const own = fields[field.name] as z.ZodType;
      for (const value of (field['values'] ?? []) as readonly unknown[]) {
        const sent = field['type'] === 'array of string' ? [value] : value;
        expect(own.safeParse(sent).success, `${field.name} ${value}`).toBe(true);
      }
      if (field['default'] !== undefined) expect(own.safeParse(field['default']).success, field.name).toBe(true);
    }
  });

  test('has a pattern for names that agrees with the rule', () => {
    const pattern = new RegExp(view.names.pattern);
    const { names } = definition;
    for (const name of [
      '',
      'a',
      '0',
      '_x',
      'A B',
      'a/b',
      'ü',
      'A_B',
      '-',
      'a.b',
      'x'.repeat(view.names.characters_max),
    ])
      if (names.refuse(name) === undefined) expect(name).toMatch(pattern);
      else if (name.length <= names.lengthMax) expect(name).not.toMatch(pattern);
  });

  test('has limits of tags that the rule holds', () => {
    const { tags } = view;
    if (tags === null || definition.tags === undefined) return expect(definition.tags).toBeUndefined();
    const { normalise } = definition.tags;
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, 'v']));
    expect(Object.keys(normalise(many(tags.count_max)))).toHaveLength(tags.count_max);
    expect(() => normalise(many(tags.count_max + 1))).toThrow('at most');
    expect(() => normalise({ ['k'.repeat(tags.key_characters_max)]: 'v' })).not.toThrow();
    expect(() => normalise({ ['k'.repeat(tags.key_characters_max + 1)]: 'v' })).toThrow('at most');
  });

  test('links to pages over https', () => {
    expect(view.links.length).toBeGreaterThan(0);
    for (const { url } of view.links) expect(URL.parse(url)?.protocol).toBe('https:');
  });
});

describe.each(definitions.filter(({ relations }) => relations !== undefined))(
  'the relations of $type',
  (definition) => {
    const { relations = [] } = definition;

    test('name fields of the type', () => {
      for (const relation of relations) {
        const names = relation.kind === 'alternatives' ? relation.sets.flat() : relation.fields;
        const all = relation.kind === 'only-with' ? [...names, relation.field] : names;
        expect(Object.keys(definition.fields)).toEqual(expect.arrayContaining([...all]));
      }
    });

    test('are held by the validation, whose problems name their fields', async () => {
      const fake = await (await loadFake(definition.type))();
      await fake.close();
      for (const relation of relations) {
        const broken = breaking(relation, definition, fake.destination);
        const problems = z.object(definition.fields).safeParse(broken);
        expect(problems.success, JSON.stringify(relation)).toBe(true);
        const named = definition.validate(present(problems.data ?? {})).flatMap(({ fields }) => fields);
        const own = relation.kind === 'alternatives' ? relation.sets.flat() : relation.fields;
        expect(
          named.some((name) => own.includes(name)),
          `${JSON.stringify(relation)}: ${named}`,
        ).toBe(true);
      }
    });
  },
);

type Relation = NonNullable<DestinationDefinition['relations']>[number];

const present = (data: object) => Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));

/** A connection that breaks this relation. */
function breaking(relation: Relation, { fields }: DestinationDefinition, good: Readonly<Record<string, unknown>>) {
  const all = relation.kind === 'alternatives' ? relation.sets.flat() : [...relation.fields];
  const without = (names: readonly string[]) =>
    Object.fromEntries(Object.entries(good).filter(([name]) => !names.includes(name)));
  const valued = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, valueFor(fields, name)]));
  if (relation.kind === 'together') return { ...without(all), ...valued(all.slice(0, 1)) };
  if (relation.kind === 'alternatives')
    return relation.required ? without(all) : { ...without(all), ...valued(relation.sets.slice(0, 2).flat()) };
  const other = (relation.values ?? []).length === 0 ? undefined : otherValue(fields, relation);
  return { ...without([...all, relation.field]), ...valued(all), ...(other && { [relation.field]: other }) };
}

/** A value of the field with which the others may not be set. */
function otherValue(fields: DestinationDefinition['fields'], { field, values = [] }: Relation & { kind: 'only-with' }) {
  const candidates = ['env', 'engine', 'repository', 'organization', 'all', 'private', 'selected'];
  return candidates.find((one) => !values.includes(one) && fields[field]?.safeParse(one).success);
}

const samples: readonly unknown[] = [true, 7, 'all', 'https://one.example.com', 'one', { 'europe-west1': '' }, ['one']];
const second = 'https://other.example.com';

function valueFor(fields: DestinationDefinition['fields'], name: string): unknown {
  if (name === 'global_kms_key') return second;
  const text = name === 'role_arn' ? 'arn:aws:iam::111122223333:role/x' : undefined;
  return text ?? (name === 'endpoint' ? second : samples.find((one) => fields[name]?.safeParse(one).success));
}
