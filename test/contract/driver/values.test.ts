import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { calm, standFor } from '../support/stand.ts';

/** Some limits include the name; names here are shorter than this. */
const nameBytesMax = 1024;

const values: Readonly<Record<string, string>> = {
  'with lines': '-----BEGIN KEY-----\nAAAA\r\nBBBB\n-----END KEY-----\n',
  'with spaces around it': '  \tvalue with spaces around it \n',
  'in many scripts': 'Grüße, κόσμε, 世界, مرحبا, 👩‍👩‍👧‍👦, e\u0301',
  'with quotes and escapes': `{"a": "\\"b\\"", 'c': "\\u0041 \\n $HOME \${x} %41 &amp; {{ .Value }}"}`,
  'that looks like base64': 'dGhlIHZhbHVl',
  'that looks like a number': '00012345678901234567890.10',
  'with control characters': 'a\u0000b\u0001c\u001b[0m\u007fd\u2028e\ufefff',
};

const randomValue = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 });

describe.each(definitions)('a value at $type', (definition) => {
  const stand = standFor(definition);
  const emptyValue = definition.refusesEmpty === true ? 'invalid' : 'kept';

  test.each(Object.entries(values))('%s is stored byte for byte', async (_what, value) => {
    const item = stand.item(stand.name(), value);
    await stand.open().put(item, calm);
    expect(Buffer.from(stand.object(item.name)?.value ?? '')).toEqual(Buffer.from(value));
  });

  test('of any characters is stored unchanged', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value before the random ones');
    await fc.assert(
      fc.asyncProperty(randomValue, async (value) => {
        const { mark, name } = item;
        await driver.put(stand.item(name, value, { mark, mode: 'adopt' }), calm);
        expect(stand.object(name)?.value).toBe(value);
      }),
      { numRuns: 25 },
    );
  });

  test(`that is empty is ${emptyValue === 'kept' ? 'kept' : `refused with the reason ${emptyValue}`}`, async () => {
    const item = stand.item(stand.name(), '');
    const put = stand.open().put(item, calm);
    if (emptyValue === 'kept') await put;
    else await stand.failure(put, emptyValue);
    expect(stand.object(item.name)?.value).toBe(emptyValue === 'kept' ? '' : undefined);
  });

  test('of nearly the maximum size is kept', async () => {
    const value = 'ü'.repeat((definition.valueBytesMax - nameBytesMax) / 2);
    const item = stand.item(stand.name('large'), value);
    await stand.open().put(item, calm);
    expect(stand.object(item.name)?.value).toBe(value);
  });

  // It has fewer characters than the limit, which counts bytes.
  test('that has one byte too many is refused, and the object keeps its value', async () => {
    const driver = stand.open();
    const item = stand.item(stand.name(), 'the value that stays');
    const { remoteVersion } = await driver.put(item, calm);
    const half = Math.floor(definition.valueBytesMax / 2);
    const value = `${'ü'.repeat(half)}${'v'.repeat(definition.valueBytesMax - 2 * half + 1)}`;
    const larger = stand.item(item.name, value, { mark: item.mark, mode: 'update', remoteVersion });
    const failure = await stand.failure(driver.put(larger, calm), 'too-large');
    expect(failure.message).toContain(item.name);
    expect(stand.object(item.name)?.value).toBe('the value that stays');
  });
});
