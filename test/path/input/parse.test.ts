import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseJson } from '#core/json/json.ts';
import { type OperationMarks, operation } from '#path/contract/row.ts';
import { bool, duration, type Fields, integer, jsonObject, pathText, text, textList, textMap } from '#path/fields.ts';
import { inputReader } from '#path/input/parse.ts';

const read = (fields: Fields, data: object, parameters = {}, marks: OperationMarks = {}) =>
  inputReader(operation(fields, { summary: '', ...marks, run: async () => undefined }))({
    parameters,
    data: { ...data },
  });

const input = (fields: Fields, data: object, parameters = {}, marks: OperationMarks = {}) => {
  const parsed = read(fields, data, parameters, marks);
  return parsed.ok ? parsed.input : parsed.problems.map(({ text }) => text);
};

const json = (source: string): object => Object(parseJson(source));

describe('values', () => {
  test.each<[string, Fields, string, object]>([
    ['a list from a comma string', { f: textList() }, '{"f":"a, b,"}', { f: ['a', 'b'] }],
    ['a duration from units', { f: duration() }, '{"f":"1h30m"}', { f: 5400 }],
    ['a bool from a string', { f: bool() }, '{"f":"true"}', { f: true }],
    ['a map from pairs', { f: textMap() }, '{"f":["a=1","b=2"]}', { f: { a: '1', b: '2' } }],
    ['an integer from a string', { f: integer() }, '{"f":" 42 "}', { f: 42 }],
    ['an integer with a zero fraction', { f: integer() }, '{"f":1.0}', { f: 1 }],
    [
      'a text from a number with all its digits',
      { f: text() },
      '{"f":12345678901234567890}',
      { f: '12345678901234567890' },
    ],
    ['a map of numbers with all their digits', { f: textMap() }, '{"f":{"a":1.0}}', { f: { a: '1.0' } }],
    ['a default', { f: text().default('x') }, '{}', { f: 'x' }],
    ['null as absent', { f: text().optional(), g: jsonObject().optional() }, '{"f":null,"g":null}', {}],
    ['null as a value of a field that allows it', { f: text().nullable().optional() }, '{"f":null}', { f: null }],
    [
      'a name of the alias vocabulary',
      { orchestrator_host: text() },
      '{"kubernetes_host":"h"}',
      { orchestrator_host: 'h' },
    ],
    ['a declared alias as itself', { kubernetes_host: text() }, '{"kubernetes_host":"h"}', { kubernetes_host: 'h' }],
  ])('%s', (_name, fields, source, expected) => {
    expect(input(fields, json(source))).toEqual(expected);
  });

  test('an object is passed on unchanged, with the digits of its numbers', () => {
    const data = json('{"f":{"big":12345678901234567890,"deep":[1.0]}}');
    const parsed = input({ f: jsonObject() }, data);
    expect(JSON.stringify(parsed)).toBe('{"f":{"big":12345678901234567890,"deep":[1.0]}}');
  });

  test('a record that zod copies keeps the digits too', () => {
    const data = json('{"f":{"big":12345678901234567890}}');
    expect(JSON.stringify(input({ f: z.record(z.string(), z.unknown()) }, data))).toBe(JSON.stringify(data));
  });

  test('the path takes precedence over the body', () => {
    const fields = { name: pathText('Name'), other: text().optional() };
    const parsed = read(fields, { name: 'body', z: 1, a: 1 }, { name: 'path' });
    expect(parsed).toEqual({
      ok: true,
      input: { name: 'path' },
      ignored: ['Endpoint ignored these unrecognized parameters: [a z]'],
      warnings: [
        "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
      ],
    });
  });

  test('an operation that accepts any field gets all of them without a warning', () => {
    const data = json('{"a":1.50,"__proto__":{"b":1},"name":"body"}');
    const parsed = read({ name: pathText('Name') }, data, { name: 'path' }, { anyFields: true });
    expect(JSON.stringify(parsed)).toBe(
      '{"ok":true,"input":{"a":1.50,"__proto__":{"b":1},"name":"path"},"ignored":[],"warnings":[]}',
    );
  });
});

describe('problems', () => {
  const problem = (rest: string) => [`Field validation failed: error converting input for field "f": ${rest}`];
  const secret = (field: z.ZodType) => field.meta({ description: 'Secret', sensitive: true });

  const aDuration = 'expected a duration that is not negative: seconds, or a text such as "30s" or "1h30m"';

  test.each<[string, Fields, object, readonly string[]]>([
    ['a missing field', { f: text() }, {}, ['Field validation failed: missing required field "f"']],
    ['a required null', { f: text() }, { f: null }, ['Field validation failed: missing required field "f"']],
    [
      'a list item',
      { f: textList() },
      { f: ['a', {}] },
      problem('Invalid input: expected string, received object (at 1)'),
    ],
    ['a text for a number', { f: integer() }, { f: 'x' }, problem('expected a whole number')],
    ['an unknown unit', { f: duration() }, { f: '5y' }, problem(aDuration)],
    ['a negative duration', { f: duration() }, { f: -1 }, problem(aDuration)],
    ['an object', { f: jsonObject() }, { f: 'x' }, problem('expected an object')],
    ['a number for an object', { f: jsonObject() }, json('{"f":1.0}'), problem('expected an object')],
    ['a sensitive type', { f: secret(text()) }, { f: ['marker'] }, problem('expected string')],
    ['a sensitive length', { f: secret(z.string().max(3)) }, { f: 'marker' }, problem('expected at most 3')],
    [
      'a sensitive form',
      { f: secret(z.string().regex(/^x/)) },
      { f: 'marker' },
      problem('it does not have the expected form'),
    ],
    [
      'a sensitive choice',
      { f: secret(z.enum(['a'])).optional() },
      { f: 'marker' },
      problem('it does not have the expected form'),
    ],
    ['a sensitive map', { f: secret(textMap()) }, { f: { marker: {} } }, problem('expected string')],
    [
      'a message made from a sensitive value',
      { f: secret(z.string().refine(() => false, { error: (issue) => `bad ${String(issue.input)}` })) },
      { f: 'marker' },
      problem('it does not have the expected form'),
    ],
  ])('%s', (_name, fields, data, expected) => {
    expect(input(fields, data)).toEqual(expected);
  });

  test('every invalid field is named once, up to a limit', () => {
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_none, index) => [`f${index}`, text()]));
    const problems = input(fields, {});
    expect(problems).toHaveLength(10);
    expect(Object.values(problems)[1]).toBe('Field validation failed: missing required field "f1"');
  });
});
