import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileTemplate, templateFields } from '#sync/template/template.ts';
import { TemplateError } from '#sync/template/tokens.ts';
import { fuzzing, runs } from '../../support/fuzz.ts';
import { inputs, templates } from './generated.ts';

/** The pieces of templates in any order: most results are invalid in some way. */
const pieces = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('{{', '}}', '{{-', '-}}', '{{- ', ' -}}', '|', '(', ')', ':=', '=', '$x') },
    {
      weight: 4,
      arbitrary: fc.constantFrom('if', 'else', 'end', 'else if', 'true', 'false', ' ', '\n', '"', '`', '\\'),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom('replace', 'truncate', 'truncate_sha256', 'len', 'eq', 'and', 'not', 'sha256'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...templateFields.map((field) => `.${field}`), '.__proto__', '.constructor'),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom('"a"', '`b`', '"\\n"', '"\\q"', '7', '-1', '99999999999999999999', '/*', '*/'),
    },
    { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
  ),
  { maxLength: 40 },
);

const anyText = fc.oneof(
  pieces.map((all) => all.join(' ')),
  pieces.map((all) => all.join('')),
  pieces.map((all) => `{{ ${all.join(' ')} }}`),
  fc.string({ unit: 'binary', maxLength: 200 }),
);

/** The result of `work`, or the error that it may throw. */
function orRefusal<T>(work: () => T): T | TemplateError {
  try {
    return work();
  } catch (error) {
    if (error instanceof TemplateError) return error;
    throw error;
  }
}

describe('any text as a template', () => {
  test('is compiled, or refused with the position of the mistake', fuzzing, () => {
    const property = fc.property(anyText, (text) => {
      const read = orRefusal(() => compileTemplate(text));
      if (!(read instanceof TemplateError)) return;
      const at = Number(/ \(at character (\d+)\)$/.exec(read.message)?.[1]);
      expect(at).toBeGreaterThanOrEqual(1);
      expect(at).toBeLessThanOrEqual(text.length + 1);
    });
    fc.assert(property, runs(3_000));
  });

  test('renders the same name each time or is refused, with at most 10,000 characters', fuzzing, () => {
    const property = fc.property(
      fc.oneof(
        anyText,
        templates.map(({ text }) => text),
      ),
      inputs,
      (text, input) => {
        const read = orRefusal(() => compileTemplate(text));
        if (read instanceof TemplateError) return;
        const [first, second] = [
          orRefusal(() => read.render(input)),
          orRefusal(() => compileTemplate(text).render(input)),
        ];
        expect(String(first)).toBe(String(second));
        if (typeof first === 'string') expect(first.length).toBeLessThanOrEqual(10_000);
      },
    );
    fc.assert(property, runs(1_500));
  });
});

describe('a well-formed template', () => {
  test('renders its parts and mentions the fields it uses', fuzzing, () => {
    const property = fc.property(templates, inputs, ({ text, value, fields }, input) => {
      const template = compileTemplate(text);
      expect(template.render(input)).toBe(value(input));
      for (const field of templateFields) expect(template.mentions(field)).toBe(fields.has(field));
    });
    fc.assert(property, runs(1_500));
  });
});

describe('rendering has a bound', () => {
  const long = 'a'.repeat(50_000);

  test.each([
    [
      'a string that one replacement multiplies',
      `{{ replace "a" "${'b'.repeat(40_000)}" "${long}" }}`,
      /more than 100000/,
    ],
    [
      'a string that many replacements multiply',
      `{{ "a"${' | replace "a" "aaaaaaaaaa"'.repeat(3_000)} }}`,
      /more than 100000/,
    ],
    [
      'much work on a long string',
      `{{ $x := "${long}" }}${'{{ if len $x }}{{ end }}'.repeat(2_000)}`,
      /more than 1000000/,
    ],
    ['a long name', `{{ $x := "${long}" }}{{ $x }}`, /more than 10000/],
  ])('%s is refused', (_what, text, reason) => {
    const [input] = fc.sample(inputs, 1);
    if (input === undefined) throw new Error('no input');
    const refusal = orRefusal(() => compileTemplate(text).render(input));
    expect(refusal).toBeInstanceOf(TemplateError);
    expect(String(refusal)).toMatch(reason);
  });

  test('a number that would lose digits is refused, and a dollar sign in a replacement is literal', () => {
    const [input] = fc.sample(inputs, 1);
    if (input === undefined) throw new Error('no input');
    expect(() => compileTemplate('{{ 12345678901234567890 }}')).toThrow(/too many digits \(at character 4\)/);
    expect(compileTemplate('{{ replace "/" "$$&" "a/b" }}').render(input)).toBe('a$$&b');
  });
});
