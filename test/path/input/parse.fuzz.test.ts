import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, parseJson } from '#core/json/json.ts';
import { readBody } from '#http/wire/body/data.ts';
import { realTable } from '#infra/generate/rows.ts';
import { operation } from '#path/contract/row.ts';
import { bool, duration, integer, integerList, jsonObject, text, textList, textMap } from '#path/fields.ts';
import { inputReader } from '#path/input/parse.ts';
import { fieldMeta } from '#path/meta.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { bodies, json, marker, number } from '../any-json.ts';

const operations = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(([verb, one]) => [`${verb} ${mount}/${row.pattern}`, one] as const),
  ),
);

const ownKeys = () => [Object.prototype, Array.prototype, Function.prototype].map((one) => Reflect.ownKeys(one).length);

/** Includes halves of surrogate pairs, although requests with them are refused earlier. */
function dataOf(body: string) {
  const data = parseJson(body);
  if (!isJsonObject(data)) throw new Error('a body is an object');
  return data;
}

describe.each(operations)('%s', (_name, one) => {
  const read = inputReader(one);
  const hidden = new Set(Object.keys(one.fields).filter((field) => fieldMeta(one.fields[field] ?? text()).sensitive));

  test('gives a value, or names the invalid field and never shows a sensitive value', () => {
    const before = ownKeys();
    const property = fc.property(bodies(one), (body) => {
      const data = dataOf(body);
      const parsed = read({ parameters: {}, data });
      expect(ownKeys()).toEqual(before);
      if (parsed.ok) {
        expect(Object.getPrototypeOf(parsed.input)).toBe(Object.prototype);
        if (one.marks.anyFields !== true)
          expect(Object.keys(one.fields)).toEqual(expect.arrayContaining(Object.keys(parsed.input)));
        return;
      }
      expect(parsed.problems.length).toBeGreaterThan(0);
      for (const { fields, text, rule } of parsed.problems) {
        const problem = String(text);
        if (one.marks.knownFieldsOnly === true && problem.startsWith('unknown field "')) {
          expect(problem).not.toContain(marker);
          continue;
        }
        const field = /^Field validation failed: .*?field "([^"]*)"/.exec(problem)?.[1] ?? '';
        expect(Object.keys(one.fields)).toContain(field);
        expect(fields).toEqual([field]);
        if (hidden.has(field)) expect([problem, rule].join()).not.toContain(marker);
      }
    });
    fc.assert(property, runs(40));
  });
});

describe('big numbers keep their digits', () => {
  test('reading and writing JSON changes none, whatever the text', fuzzing, async () => {
    const keys = fc.constantFrom('a', 'b', 'c d', 'é');
    const plain = fc.letrec<{ any: string }>((tie) => ({
      any: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        number,
        fc.constantFrom('null', 'true', '"1.0"', '"12345678901234567890"'),
        fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
        fc
          .uniqueArray(fc.tuple(keys, tie('any')), { maxLength: 3, selector: ([key]) => key })
          .map((members) => `{${members.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
      ),
    })).any;
    const property = fc.asyncProperty(plain, async (written) => {
      expect(JSON.stringify(parseJson(written))).toBe(written);
      const read = inputReader(operation({ o: jsonObject() }, { summary: '', run: async () => undefined }));
      const parsed = read({ parameters: {}, data: await readBody(`{"o":{"x":${written}}}`, undefined, unweighed) });
      expect(parsed.ok && JSON.stringify(parsed.input['o'])).toBe(`{"x":${written}}`);
    });
    await fc.assert(property, runs(1_000));
  });

  test('a number in a text field becomes its digits', fuzzing, async () => {
    const fields = { one: text(), many: textList(), map: textMap() };
    const read = inputReader(operation(fields, { summary: '', run: async () => undefined }));
    const property = fc.asyncProperty(number, async (digits) => {
      const body = `{"one":${digits},"many":[${digits}],"map":{"k":${digits}}}`;
      const parsed = read({ parameters: {}, data: await readBody(body, undefined, unweighed) });
      expect(parsed.ok && parsed.input).toEqual({ one: digits, many: [digits], map: { k: digits } });
    });
    await fc.assert(property, runs(300));
  });
});

describe('each type of field', () => {
  const one = { text: text(), bool: bool(), integer: integer(), duration: duration(), textList: textList() };
  const types = { ...one, integerList: integerList(), textMap: textMap(), jsonObject: jsonObject() };
  const right = {
    text: (value: unknown) => typeof value === 'string',
    bool: (value: unknown) => typeof value === 'boolean',
    integer: (value: unknown) => Number.isSafeInteger(value),
    duration: (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0,
    textList: (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
    integerList: (value: unknown) => Array.isArray(value) && value.every((item) => Number.isSafeInteger(item)),
    textMap: (value: unknown) => isMap(value) && Object.values(value).every((item) => typeof item === 'string'),
    jsonObject: isMap,
  } satisfies Record<keyof typeof types, (value: unknown) => boolean>;

  test.each(['text', 'bool', 'integer', 'duration', 'textList', 'integerList', 'textMap', 'jsonObject'] as const)(
    '%s gives a value of its own type or none',
    fuzzing,
    (type) => {
      const property = fc.property(json, (value) => {
        const given = parseJson(value);
        const parsed = types[type].safeParse(given);
        if (parsed.success) expect(right[type](parsed.data)).toBe(true);
        if (type !== 'textMap' || !parsed.success || typeof given === 'string' || Array.isArray(given)) return;
        expect(isJsonObject(given) && Object.keys(given)).toEqual(Object.keys(parsed.data));
      });
      fc.assert(property, runs(600));
    },
  );
});

test('a raw number is not a map, and the key __proto__ is refused instead of lost', async () => {
  const read = inputReader(operation({ map: textMap() }, { summary: '', run: async () => undefined }));
  for (const [body, reason] of [
    ['{"map":1.0}', 'expected record, received number'],
    ['{"map":{"__proto__":"x"}}', 'the key __proto__ is not allowed'],
    ['{"map":["a=b","__proto__=x"]}', 'the key __proto__ is not allowed'],
  ] as const) {
    const parsed = read({ parameters: {}, data: await readBody(body, undefined, unweighed) });
    expect(parsed).toMatchObject({
      ok: false,
      problems: [{ fields: ['map'], text: expect.stringContaining(`"map": `) }],
    });
    expect(!parsed.ok && String(parsed.problems[0]?.text)).toContain(reason);
  }
});

const unweighed = () => {};

const isMap = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('rawJSON' in value && Object.isFrozen(value));
