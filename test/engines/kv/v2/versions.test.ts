import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, parseJson } from '#core/json/json.ts';
import { keysOf } from '#engines/kv/v2/read/subkeys.ts';
import { patchCustomMetadata, readCustomMetadata } from '#engines/kv/v2/rules/custom-metadata.ts';
import { casRefusal, readCas } from '#engines/kv/v2/rules/versions.ts';
import { mergePatch } from '#engines/kv/v2/write/merge-patch.ts';
import { durationText } from '#path/duration-text.ts';

test.each([
  [undefined, false, 3, undefined],
  [undefined, true, 3, 'check-and-set parameter required for this call'],
  [3, true, 3, undefined],
  [0, false, 0, undefined],
  [0, false, 1, 'check-and-set parameter did not match the current version'],
  [4, false, 3, 'check-and-set parameter did not match the current version'],
])('cas %s, required %s, at version %i: %s', (cas, required, current, refusal) => {
  expect(casRefusal(cas, required, current)).toBe(refusal);
});

test.each([
  ['5', 5],
  ['"5"', 5],
  ['""', 0],
  ['null', 0],
  ['true', 1],
  ['-1', -1],
  ['2147483648', -1],
  ['12345678901234567890', 'unreadable'],
  ['1.5', 'unreadable'],
  ['"x"', 'unreadable'],
  ['[]', 'unreadable'],
])('cas %s reads as %s', (json, cas) => {
  expect(readCas(parseJson(json))).toBe(cas);
});

test.each([
  [0, '0s'],
  [59, '59s'],
  [60, '1m0s'],
  [1800, '30m0s'],
  [3600, '1h0m0s'],
  [12_319, '3h25m19s'],
  [-1, '-1s'],
])('%i seconds are shown as %s', (seconds, text) => {
  expect(durationText(seconds)).toBe(text);
});

// The cases of RFC 7396, appendix A, with objects.
test.each([
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
  ['{"n":1.0}', '{"m":2.0}', '{"n":1.0,"m":2.0}'],
])('%s patched with %s is %s', (target, patch, merged) => {
  expect(JSON.stringify(mergePatch(object(target), object(patch)))).toBe(merged);
});

test.each([
  ['{"a":"x","b":{"c":1,"d":{"e":[1]}},"f":{}}', 0, '{"a":null,"b":{"c":null,"d":{"e":null}},"f":null}'],
  ['{"a":"x","b":{"c":1,"d":{"e":[1]}}}', 1, '{"a":null,"b":null}'],
  ['{"a":"x","b":{"c":1,"d":{"e":[1]}}}', 2, '{"a":null,"b":{"c":null,"d":null}}'],
])('the keys of %s to depth %i are %s', (data, depth, keys) => {
  expect(JSON.stringify(keysOf(object(data), depth === 0 ? Number.POSITIVE_INFINITY : depth))).toBe(keys);
});

describe('custom metadata', () => {
  test('numbers and booleans become strings', () => {
    expect(readCustomMetadata(object('{"a":"x","b":12345678901234567890,"c":true,"d":7}'))).toEqual({
      a: 'x',
      b: '12345678901234567890',
      c: '1',
      d: '7',
    });
  });

  test.each([
    ['too many pairs', Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, 'v'])), 'at most 64 keys'],
    ['an empty key', { '': 'v' }, 'length of key "" is 0'],
    ['a long key', { ['k'.repeat(129)]: 'v' }, 'is 129 but must be'],
    ['a long key in bytes', { ['ü'.repeat(65)]: 'v' }, 'is 130 but must be'],
    ['an empty value', { k: '' }, 'length of value for key "k" is 0'],
    ['null', { k: null }, 'length of value for key "k" is 0'],
    ['a long value', { k: 'v'.repeat(513) }, 'is 513 but must be'],
    ['a tab in a key', { 'a\tb': 'v' }, 'contains unprintable characters'],
    ['a newline in a value', { k: 'a\nb' }, 'value for key "k" contains unprintable characters'],
    ['an object', { k: {} }, 'is not a string'],
  ])('%s is refused', (_name, given, message) => {
    expect(() => readCustomMetadata(given)).toThrow(message);
    expect(() => readCustomMetadata(given)).toThrow(/^custom_metadata validation failed/);
  });

  test('every broken rule is named', () => {
    expect(() => readCustomMetadata({ a: '', b: '' })).toThrow(/key "a".*key "b"/);
  });

  test('a patch removes keys with null, and its result must obey the limits', () => {
    expect(patchCustomMetadata({ a: '1', b: '2' }, { a: null, c: '3' })).toEqual({ b: '2', c: '3' });
    const full = Object.fromEntries(Array.from({ length: 64 }, (_, n) => [`k${n}`, 'v']));
    expect(() => patchCustomMetadata(full, { more: 'x' })).toThrow('at most 64 keys');
    expect(patchCustomMetadata(full, { k0: null, more: 'x' })).toMatchObject({ more: 'x' });
  });
});

function object(json: string): JsonObject {
  const value = parseJson(json);
  if (!isJsonObject(value)) throw new Error('not an object');
  return value;
}
