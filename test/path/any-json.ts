import fc from 'fast-check';
import type { Operation } from '#path/contract/row.ts';

export const marker = 'hunter2';
export const strange = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'rawJSON',
  '',
  '\0',
  '\ud800',
];

/** JSON texts, some with numbers whose digits JavaScript would lose. */
export const number = fc.oneof(
  fc.constantFrom('1.0', '-0', '1e400', '1E5', '12345678901234567890', '0.10', '9007199254740993', '0', '-1', '1'),
  fc.integer().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const string = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 8 }),
    fc.constantFrom(...strange, marker, `${marker}=1`, 'true', '1h30m', '9'.repeat(40), 'a=b,c', '-5', '2e9h'),
  )
  .map((value) => JSON.stringify(value));
export const json = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false'),
    number,
    string,
    fc.array(tie('any'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .uniqueArray(fc.tuple(string, tie('any')), { maxLength: 3, selector: ([key]) => key })
      .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`),
  ),
})).any;

/** A body with any JSON for some of the fields, and some unknown fields. */
export function bodies({ fields }: Operation): fc.Arbitrary<string> {
  const name = fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...Object.keys(fields), 'orchestrator_host') },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
  );
  const members = fc.uniqueArray(fc.tuple(name, json), { maxLength: 6, selector: ([key]) => key });
  return members.map((all) => `{${all.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`);
}
