import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type TemplateField, type TemplateInput, templateFields } from '#sync/template/template.ts';

/** A piece of a template, the fields in it, and the value it has to render. */
export interface Piece<T> {
  readonly text: string;
  readonly fields: ReadonlySet<TemplateField>;
  readonly value: (input: TemplateInput) => T;
}

/** Names that secrets, keys, mounts and destinations may have. */
const nameText = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('', '/', 'app/db', 'A', 'a', '$&', '{{', '__proto__', 'ß', 'ﬁ', '\ud800', '😀'),
);

export const inputs: fc.Arbitrary<TemplateInput> = fc.record(
  Object.fromEntries(templateFields.map((field) => [field, nameText])) as Record<TemplateField, typeof nameText>,
);

const none: ReadonlySet<TemplateField> = new Set();

function piece<T>(text: string, parts: readonly Piece<unknown>[], value: Piece<T>['value']): Piece<T> {
  return { text, fields: new Set(parts.flatMap((part) => [...part.fields])), value };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex');
const quoted = (text: string) =>
  `"${text
    .replace(/["\\]/g, (letter) => `\\${letter}`)
    .replaceAll('\n', '\\n')
    .replaceAll('\t', '\\t')
    .replaceAll('\r', '\\r')}"`;
const constant = (text: string, write: (text: string) => string): Piece<string> => ({
  text: write(text),
  fields: none,
  value: () => text,
});

const field = fc
  .constantFrom(...templateFields)
  .map((name): Piece<string> => ({ text: `.${name}`, fields: new Set([name]), value: (input) => input[name] }));
const plainText = fc.string({ maxLength: 6 });
const literal = fc.oneof(
  plainText.map((text) => constant(text, quoted)),
  plainText.filter((text) => !text.includes('`')).map((text) => constant(text, (raw) => `\`${raw}\``)),
);

const oneText: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  trim: (text) => text.trim(),
  sha256: hash,
  base64: (text) => Buffer.from(text, 'utf8').toString('base64'),
};
const twoTexts: Readonly<Record<string, (a: string, b: string) => string>> = {
  trimprefix: (a, b) => (b.startsWith(a) ? b.slice(a.length) : b),
  trimsuffix: (a, b) => (b.endsWith(a) ? b.slice(0, b.length - a.length) : b),
};
const questions: Readonly<Record<string, (a: string, b: string) => boolean>> = {
  hasprefix: (a, b) => b.startsWith(a),
  hassuffix: (a, b) => b.endsWith(a),
  contains: (a, b) => b.includes(a),
  eq: (a, b) => a === b,
  ne: (a, b) => a !== b,
};
const replaced = (old: string, by: string, text: string) => (old === '' ? text : text.split(old).join(by));
const shortened = (length: number, text: string): string => {
  const letters = Array.from(text);
  const kept = letters.slice(0, length - 8).join('');
  return letters.length <= length ? text : kept + hash(letters.slice(length - 8).join('')).slice(0, 8);
};

const { texts, conditions } = fc.letrec<{ texts: Piece<string>; conditions: Piece<boolean> }>((tie) => {
  const [text, condition] = [tie('texts'), tie('conditions')];
  const call1 = fc.tuple(fc.constantFrom(...Object.entries(oneText)), text, fc.boolean());
  const call2 = fc.tuple(fc.constantFrom(...Object.entries(twoTexts)), text, text);
  const asked = fc.tuple(fc.constantFrom(...Object.entries(questions)), text, text);
  return {
    texts: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      field,
      literal,
      call1.map(([[name, of], a, piped]) =>
        piece(piped ? `(${a.text} | ${name})` : `(${name} ${a.text})`, [a], (input) => of(a.value(input))),
      ),
      call2.map(([[name, of], a, b]) =>
        piece(`(${name} ${a.text} ${b.text})`, [a, b], (input) => of(a.value(input), b.value(input))),
      ),
      fc
        .tuple(literal, literal, text)
        .map(([a, b, c]) =>
          piece(`(${c.text} | replace ${a.text} ${b.text})`, [c], (input) =>
            replaced(a.value(input), b.value(input), c.value(input)),
          ),
        ),
      fc
        .tuple(fc.nat(20), text)
        .map(([length, a]) =>
          piece(`(truncate ${length} ${a.text})`, [a], (input) => Array.from(a.value(input)).slice(0, length).join('')),
        ),
      fc
        .tuple(fc.integer({ min: 9, max: 20 }), text)
        .map(([length, a]) =>
          piece(`(${a.text} | truncate_sha256 ${length})`, [a], (input) => shortened(length, a.value(input))),
        ),
    ),
    conditions: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.boolean().map((is): Piece<boolean> => ({ text: String(is), fields: none, value: () => is })),
      asked.map(([[name, of], a, b]) =>
        piece(`(${name} ${a.text} ${b.text})`, [a, b], (input) => of(a.value(input), b.value(input))),
      ),
      condition.map((a) => piece(`(not ${a.text})`, [a], (input) => !a.value(input))),
      fc
        .tuple(condition, condition)
        .map(([a, b]) => piece(`(and ${a.text} ${b.text})`, [a, b], (input) => a.value(input) && b.value(input))),
      fc
        .tuple(condition, condition)
        .map(([a, b]) => piece(`(or ${a.text} ${b.text})`, [a, b], (input) => a.value(input) || b.value(input))),
    ),
  };
});

const plain = fc
  .string({ maxLength: 8 })
  .filter((text) => !text.includes('{'))
  .map((text): Piece<string> => ({ text, fields: none, value: () => text }));
const comment = fc.constant<Piece<string>>({ text: '{{/* {{ not }} read */}}', fields: none, value: () => '' });
const output = texts.map((a) => piece(`{{ ${a.text} }}`, [a], a.value));
const variable = texts.map((a) => piece(`{{ $v := ${a.text} }}{{ $v }}`, [a], a.value));
const choice = fc
  .tuple(conditions, conditions, texts, texts, texts)
  .map(([one, two, a, b, c]) =>
    piece(
      `{{ if ${one.text} }}{{ ${a.text} }}{{ else if ${two.text} }}{{ ${b.text} }}{{ else }}{{ ${c.text} }}{{ end }}`,
      [one, two, a, b, c],
      (input) => (one.value(input) ? a : two.value(input) ? b : c).value(input),
    ),
  );

/** Valid templates, which can be compiled and rendered. */
export const templates: fc.Arbitrary<Piece<string>> = fc
  .array(fc.oneof(plain, comment, output, variable, choice), { maxLength: 6 })
  .map((parts) =>
    piece(parts.map(({ text }) => text).join(''), parts, (input) => parts.map(({ value }) => value(input)).join('')),
  );
