import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { realTable } from '../../../infra/generate/rows.ts';
import { isJsonObject, parseJson } from '../../../lib/core/json.ts';
import { readBody } from '../../../lib/http/wire/body/data.ts';
import { operation } from '../../../lib/path/contract/row.ts';
import { bool, duration, integer, integerList, jsonObject, text, textList, textMap } from '../../../lib/path/fields.ts';
import { inputReader } from '../../../lib/path/input/parse.ts';
import { fieldMeta } from '../../../lib/path/meta.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { bodies, json, marker, number } from '../any-json.ts';

const operations = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(([verb, one]) => [`${verb} ${mount}/${row.pattern}`, one] as const),
  ),
);

const ownKeys = () => [Object.prototype, Array.prototype, Function.prototype].map((one) => Reflect.ownKeys(one).length);

/** Fields need not rely on it that half characters are refused before. */
function dataOf(body: string) {
  const data = parseJson(body);
  if (!isJsonObject(data)) throw new Error('a body is an object');
  return data;
}

describe.each(operations)('%s', (_name, one) => {
  const read = inputReader(one);
  const hidden = new Set(Object.keys(one.fields).filter((field) => fieldMeta(one.fields[field] ?? text()).sensitive));

  test('gives a value, or says which field is wrong and never shows one that is not to be shown', () => {
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
      for (const problem of parsed.problems) {
        if (one.marks.knownFieldsOnly === true && problem.startsWith('unknown field "')) {
          expect(problem).not.toContain(marker);
          continue;
        }
        const field = /^Field validation failed: .*?field "([^"]*)"/.exec(problem)?.[1] ?? '';
        expect(Object.keys(one.fields)).toContain(field);
        if (hidden.has(field)) expect(problem).not.toContain(marker);
      }
    });
    fc.assert(property, runs(40));
  });
});

describe('big numbers keep their digits', () => {
  test('whatever the text, reading and writing JSON changes none', fuzzing, async () => {
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

  test('a number that is meant as a text is its digits', fuzzing, async () => {
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
    '%s gives its own kind of value or none',
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

test('a number with digits is no map, and a key that cannot be kept is refused instead of lost', async () => {
  const read = inputReader(operation({ map: textMap() }, { summary: '', run: async () => undefined }));
  for (const [body, reason] of [
    ['{"map":1.0}', 'expected record, received number'],
    ['{"map":{"__proto__":"x"}}', 'the key __proto__ cannot be kept'],
    ['{"map":["a=b","__proto__=x"]}', 'the key __proto__ cannot be kept'],
  ] as const) {
    const parsed = read({ parameters: {}, data: await readBody(body, undefined, unweighed) });
    expect(parsed).toMatchObject({ ok: false, problems: [expect.stringContaining(`"map": `)] });
    expect(!parsed.ok && parsed.problems[0]).toContain(reason);
  }
});

const unweighed = () => {};

const isMap = (value: unknown): value is object =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !('rawJSON' in value && Object.isFrozen(value));
