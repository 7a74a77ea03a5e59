import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../lib/core/errors.ts';
import type { TagRule } from '../../../lib/destinations/contract.ts';
import { definitions } from '../../../lib/destinations/index.ts';

const tagged = definitions.flatMap(({ type, tags }) => (tags === undefined ? [] : [{ type, tags }]));
const mark = '0123456789abcdef0123456789abcdef';

describe.each(tagged)('the tag rule of $type', ({ tags }) => {
  test('leaves space for the built-in tags, one of which is the mark', () => {
    const builtIn = tags.builtIn(mark);
    expect(Object.keys(builtIn).length).toBeLessThan(tags.countMax);
    expect(Object.values(builtIn)).toContain(mark);
    expect(tags.builtIn(mark)).toEqual(builtIn);
  });

  test('accepts as many custom tags as fit beside them, and refuses one more', () => {
    const tagsMax = tags.countMax - Object.keys(tags.builtIn(mark)).length;
    expect(Object.keys(tags.normalise(customTags(tagsMax)))).toHaveLength(tagsMax);
    expect(refusalOf(tags, customTags(tagsMax + 1))).toContain('custom_tags');
  });

  test('brings custom tags to the rules of the system once: a second time changes nothing', () => {
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

  test('keeps custom tags away from the built-in ones', () => {
    for (const key of Object.keys(tags.builtIn(mark))) {
      expect(refusalOf(tags, { [key]: 'mine' })).toContain('custom_tags');
    }
  });
});

const customTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag${index}`, `value${index}`]));

/** Undefined: refused, as what cannot be mended has to be. */
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
