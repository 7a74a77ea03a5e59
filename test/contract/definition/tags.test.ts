import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import type { TagRule } from '#destinations/contract.ts';
import { definitions } from '#destinations/index.ts';

const tagged = definitions.flatMap(({ type, tags }) => (tags === undefined ? [] : [{ type, tags }]));
const mark = '0123456789abcdef0123456789abcdef';

describe.each(tagged)('the tag rule of $type', ({ tags }) => {
  test('leaves space for the built-in tags, one of which is the mark', () => {
    const builtIn = tags.builtIn(mark);
    expect(Object.keys(builtIn).length).toBeLessThan(tags.countMax);
    expect(Object.values(builtIn)).toContain(mark);
    expect(tags.builtIn(mark)).toEqual(builtIn);
  });

  test('accepts custom tags up to the limit, and refuses one more', () => {
    const tagsMax = tags.countMax - Object.keys(tags.builtIn(mark)).length;
    expect(Object.keys(tags.normalise(customTags(tagsMax)))).toHaveLength(tagsMax);
    expect(refusalOf(tags, customTags(tagsMax + 1))).toContain('custom_tags');
  });

  test('normalises custom tags idempotently', () => {
    const custom = fc.dictionary(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ maxLength: 60 }), {
      maxKeys: 5,
    });
    fc.assert(
      fc.property(custom, (given) => {
        const once = normalised(tags, given);
        if (once !== undefined) expect(tags.normalise(once)).toEqual(once);
      }),
    );
  });

  test('refuses custom tags with the keys of built-in ones', () => {
    for (const key of Object.keys(tags.builtIn(mark))) {
      expect(refusalOf(tags, { [key]: 'mine' })).toContain('custom_tags');
    }
  });
});

const customTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, `value${index}`]));

/** The normalised tags, or undefined when they are refused. */
function normalised(tags: TagRule, custom: Readonly<Record<string, string>>) {
  try {
    return tags.normalise(custom);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return undefined;
    throw error;
  }
}

function refusalOf(tags: TagRule, custom: Readonly<Record<string, string>>): string {
  try {
    return JSON.stringify(tags.normalise(custom));
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return error.message;
    throw error;
  }
}
