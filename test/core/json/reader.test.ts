import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Json, parseJson } from '#core/json/json.ts';
import { LongText } from '#core/json/long-text.ts';
import { type JsonBounds, JsonReader } from '#core/json/reader.ts';
import { JsonProblem } from '#core/json/text.ts';
import { isLongJson, jsonPieces } from '#core/json/write.ts';
import { json } from '../../path/any-json.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { leastProcessorMs } from '../../support/measures/processor-time.ts';

const usual: JsonBounds = { levelsMax: 500, membersMax: 100_000 };

/** Reads a text in pieces of this many characters. */
function read(text: string, size = text.length, bounds = usual): Json {
  const reader = new JsonReader(bounds);
  for (let at = 0; at < text.length; at += Math.max(1, size)) reader.read(text.slice(at, at + Math.max(1, size)));
  return reader.end();
}

/** Skips all objects and lists. */
const passing: JsonBounds = { ...usual, isPassedOver: () => true };

const written = (value: Json): string =>
  [...jsonPieces(value)].map((piece) => (typeof piece === 'string' ? piece : piece.toString())).join('');

describe('JSON in pieces', () => {
  test('is what the plain parser reads, whatever the pieces', fuzzing, () => {
    const text = fc.tuple(json, fc.constantFrom('', ' ', '\n\t')).map(([value, space]) => space + value + space);
    const property = fc.property(text, fc.integer({ min: 1, max: 12 }), (source, size) => {
      fc.pre(!/\\u[dD][89a-fA-F]/.test(source));
      expect(read(source, size)).toEqual(parseJson(source));
      expect(written(read(source, size))).toBe(JSON.stringify(parseJson(source)));
    });
    fc.assert(property, runs(1_000));
  });

  test('is refused when the plain parser refuses it, whatever the pieces', fuzzing, () => {
    const noise = fc.constantFrom(
      '"',
      '\\',
      '\\u12',
      '\\ud83d',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      'tru',
      '-',
      '1e',
      '\u0001',
      'x',
    );
    const broken = fc.tuple(json, fc.nat(), noise, fc.nat({ max: 2 })).map(([text, position, added, taken]) => {
      const at = position % (text.length + 1);
      return text.slice(0, at) + added + text.slice(at + taken);
    });
    const property = fc.property(broken, fc.integer({ min: 1, max: 5 }), (source, size) => {
      let plain: unknown;
      try {
        plain = parseJson(source);
      } catch {
        expect(() => read(source, size)).toThrow(JsonProblem);
        expect(() => read(source, size, passing)).toThrow(JsonProblem);
        return;
      }
      try {
        expect(read(source, size)).toEqual(plain);
      } catch (error) {
        expect(String(error)).toMatch(/a lone surrogate|duplicate key/);
      }
    });
    fc.assert(property, runs(3_000));
  });

  test('for a skipped value only the number of its items is reported, and its content counts towards no limit', () => {
    const unreachable = () => expect.unreachable('keep must not be called for content of a skipped value');
    const bounds = { ...passing, membersMax: 0, textCharactersMax: 1, keep: unreachable };
    expect(read('[1,"a text",{"a":[1],"a":2},[[]],true,1e400]', 3, bounds)).toBe(6);
    expect(read('{"a":[1,2],"a":{}}', 3, bounds)).toBeNull();
    expect(read('[]', 1, bounds)).toBe(0);
  });

  test('an omitted value leaves no key, and keep receives the path of each value', () => {
    const places: unknown[] = [];
    const value = read('{"a":{"b":[7,[8]]},"c":9}', 4, {
      ...usual,
      isPassedOver: ({ depth }) => depth === 3,
      keep(kept, { depth, member, key, isPassedOver }) {
        places.push([kept, depth, member, key, isPassedOver]);
        return key === 'c' || kept === 7 ? undefined : kept;
      },
    });
    expect(value).toEqual({ a: { b: [1] } });
    expect(places).toEqual([
      [7, 3, 'a', '', false],
      [1, 3, 'a', '', true],
      [[1], 2, 'a', 'b', false],
      [{ b: [1] }, 1, 'a', 'a', false],
      [9, 1, 'c', 'c', false],
    ]);
  });

  test.each([
    '{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}',
    String.raw`{"a:b":":","quote \" : ":"\\","c\\":"\":{"}`,
    '{"__proto__":{"constructor":1},"toString":2}',
    String.raw`{"emoji":"\ud83d\ude00","raw":"😀","text":"\\ud800","edge":"\ud7ff\ue000"}`,
    ' { "a" : 1 , "b" : [ ] } ',
    '"a:b"',
  ])('nothing of %s is lost', (source) => {
    for (const size of [1, 2, 3, 100]) expect(read(source, size)).toEqual(parseJson(source));
  });

  test.each([
    ['{"a":1,"a":1}', 7],
    ['{"a":1,"b":{"c":1, "c" : 2}}', 19],
    [String.raw`{"a":1,"\u0061":2}`, 7],
    ['[{"a":{},"b":[":"]},{"b":1,"a":[{"b":1}],"b":2}]', 41],
    ['{"":1,"":2}', 6],
    ['{"__proto__":1,"__proto__":2}', 15],
  ])('a member of %s would be lost', (source, at) => {
    const message = `an object has a duplicate key at character ${at}`;
    for (const size of [1, 2, 3, 100]) expect(() => read(source, size)).toThrow(new JsonProblem(message));
  });

  test.each([
    [String.raw`{"a":"\ud83d"}`, 6],
    [String.raw`{"a":"\ude00"}`, 6],
    [String.raw`{"a":"\uDE00\uD83D"}`, 6],
    [String.raw`{"a":"\ud83d\ud83d\ude00"}`, 6],
    [String.raw`{"a":"\ud83d\\ude00"}`, 6],
    [String.raw`{"a":"\\\n\ud83d\ude00","b\udbff":1}`, 26],
  ])('a character of %s would be lost', (source, at) => {
    const message = `a lone surrogate, which is not a character, at character ${at}`;
    for (const size of [1, 2, 3, 100]) expect(() => read(source, size)).toThrow(new JsonProblem(message));
  });

  test.each([
    ['{"a": {,}}', 'invalid JSON at character 7'],
    ['[1,2', 'invalid JSON at character 4'],
    ['[01]', 'invalid JSON at character 2'],
    ['["a\nb"]', 'invalid JSON at character 3'],
    ['["\\x"]', 'invalid JSON at character 3'],
    ['[] []', 'invalid JSON at character 3'],
    ['', 'invalid JSON at character 0'],
  ])('%j is refused with the position', (source, message) => {
    for (const size of [1, 2, 3, 100]) expect(() => read(source, size)).toThrow(new JsonProblem(message));
  });

  test('levels and members are bounded, and so are numbers and keys', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    expect(() => read(nested(501))).not.toThrow();
    expect(() => read(nested(502))).toThrow('it is nested deeper than 500 levels');
    const many = (count: number) => `{"a":[${'1,'.repeat(count - 2)}1]}`;
    expect(() => read(many(100_000))).not.toThrow();
    expect(() => read(many(100_001))).toThrow('it has more than 100000 members');
    expect(() => read(`[${'1'.repeat(65_536)}]`)).not.toThrow();
    expect(() => read(`[${'1'.repeat(65_537)}]`)).toThrow('the number at character 1 is longer than 65536 characters');
    expect(() => read(`{"${'k'.repeat(65_537)}":1}`)).toThrow('the key at character 1 is longer than 65536 characters');
  });

  test('a long text stays in pieces, is written unchanged, and is not an object', () => {
    const text = `${'x\\u00e9"\\n中'.replaceAll('"', '\\"').repeat(1_000)}\\ud83d\\ude00`;
    const value = read(`{"a":"${text}"}`, 1_000, { ...usual, wholeMax: 5_000 });
    expect(value).toEqual({ a: expect.any(LongText) });
    expect(written(value)).toBe(`{"a":"${text}"}`);
    expect(JSON.parse(JSON.stringify(value))).toEqual(JSON.parse(`{"a":"${text}"}`));
  });

  test('a value counts as long because of its text, its keys or its members', () => {
    const long = ['x'.repeat(101), { ['k'.repeat(101)]: 1 }, Array(101).fill(null), { a: { b: ['y'.repeat(101)] } }];
    for (const value of long) expect(isLongJson(value, 100)).toBe(true);
    for (const value of ['x'.repeat(99), {}, [1, { a: [null, 'x'.repeat(50)] }]])
      expect(isLongJson(value, 100)).toBe(false);
  });

  test('the work grows with the text and no faster', () => {
    const texts: readonly ((size: number) => string)[] = [
      (size) => `["${'x'.repeat(size)}"]`,
      (size) => `["${'\\n'.repeat(size / 2)}"]`,
      (size) => `["${'\\ud83d\\ude00'.repeat(size / 12)}"]`,
      (size) => `[${' '.repeat(size)}]`,
      (size) => `{${Array.from({ length: size / 10 }, (_, index) => `"${index}":1`).join()}}`,
      (size) => `[${'1.0,'.repeat(size / 4)}1]`,
      (size) => `[${'[],'.repeat(size / 3)}1]`,
      (size) => `[${'"a",'.repeat(size / 4)}1]`,
    ];
    const bounds = { ...usual, membersMax: Number.POSITIVE_INFINITY };
    const cost = (text: string) => leastProcessorMs(() => read(text, 32_768, bounds));
    for (const text of texts) {
      const [small, large] = [cost(text(100_000)), cost(text(800_000))];
      // Work that grew with the square would take 64 times as long.
      expect(large).toBeLessThan(8 * 6 * Math.max(small, 1));
    }
  });
});
