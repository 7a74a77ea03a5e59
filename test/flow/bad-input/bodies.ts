import type { Described, Field } from './operations.ts';
import { type Known, rightBody } from './samples.ts';

/** A body that is sent unchanged. */
export interface Body {
  readonly what: string;
  readonly text: string;
  /** The field with the mistake; undefined when the body is wrong as a whole, or not wrong. */
  readonly field?: string;
  /** Undefined for the default of the verb. */
  readonly mediaType?: string;
}

const long = 'x'.repeat(100_000);
/** Each value is wrong for most types, and it does not matter which fields accept it. The texts are JSON, inserted literally. */
const values: Readonly<Record<string, string>> = {
  text: '"x"',
  'empty text': '""',
  'text of 100 kB': `"${long}"`,
  'umlauts and faces': '"Gr\u00fc\u00dfe \u{1f600} \u202e\ufeff"',
  'control characters': '"a\\u0001\\u001b\\r\\nb"',
  NUL: '"a\\u0000b"',
  'half a surrogate': '"\\ud800"',
  'path that climbs': '"../../sys/raw"',
  'not a number': '"NaN"',
  'too large a number': '1e400',
  'negative number': '-1',
  'two to the 63': '9223372036854775808',
  'two to the 31': '2147483648',
  'two to the 40': '1099511627776',
  fraction: '0.5',
  'endless duration': '"99999999999999999999h"',
  true: 'true',
  null: 'null',
  list: '["a","b"]',
  'list of lists': '[[["a"]],[{}]]',
  'list with NUL': '["a\\u0000"]',
  object: '{"a":{"b":[1]}}',
  'object with bad members':
    '{"cas":"x","version":{},"versions":[[]],"default_lease_ttl":[1],"max_lease_ttl":"-","force_no_cache":7,"a":"\\u0000"}',
  'object with bad keys': '{"":"","a\\u0000":"\\u0000","__proto__":{"x":1},"constructor":"x"}',
};

/** A plausible value for a field of each type. */
const usual: Readonly<Record<string, unknown>> = {
  integer: 1_000_000,
  boolean: true,
  array: ['a'],
  object: { a: 'b' },
};
const sampleOf = ({ type }: Field): unknown => usual[type] ?? 'x';

/** Bodies that are wrong as a whole, for any operation. */
const wholes: readonly Body[] = [
  { what: 'not JSON', text: 'policy=' },
  { what: 'only a space', text: ' ' },
  { what: 'truncated JSON', text: '{"policy":"a' },
  { what: 'two values', text: '{} {}' },
  { what: 'an array', text: '[{"a":1}]' },
  { what: 'a text', text: '"policy"' },
  { what: 'a number', text: '1e400' },
  { what: 'null', text: 'null' },
  { what: 'JSON 10,000 levels deep', text: `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}` },
  { what: 'open JSON 10,000 levels deep', text: '{"a":'.repeat(10_000) },
  { what: 'names without end', text: `{${Array.from({ length: 5_000 }, (_, at) => `"n${at}":1`).join()}}` },
  { what: 'a byte order mark', text: '\ufeff{"a":1}' },
  { what: 'a form', text: 'a=1&a=2&%00=%zz', mediaType: 'application/x-www-form-urlencoded' },
  { what: 'a foreign media type', text: '<a/>', mediaType: 'text/xml' },
  { what: 'no media type at all', text: '{}', mediaType: '' },
  { what: 'an invalid media type', text: '{}', mediaType: 'application/json; charset="' },
];

/** Bodies for an operation, each with one mistake. */
export function badBodies({ path, fields }: Described, known: Known): readonly Body[] {
  const needed = rightBody(path, known);
  // Optional fields often exclude each other.
  const right = new Map(Object.entries(needed).map(([name, value]) => [name, JSON.stringify(value)]));
  for (const field of fields) {
    if (field.required && !right.has(field.name)) right.set(field.name, JSON.stringify(sampleOf(field)));
  }
  const every = new Map([...fields.map((field) => [field.name, JSON.stringify(sampleOf(field))] as const), ...right]);
  const textOf = (members: Iterable<readonly [string, string]>) =>
    `{${[...members].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
  const wrong = fields.flatMap(({ name }) =>
    Object.entries(values).map(([what, value]) => ({
      what: `${name} is ${what}`,
      field: name,
      text: textOf(new Map([...right, [name, value]])),
    })),
  );
  const without = fields
    .filter(({ required }) => required)
    .map(({ name }) => ({
      what: `${name} is missing`,
      field: name,
      text: textOf([...right].filter(([other]) => other !== name)),
    }));
  const twice = fields.slice(0, 1).map(({ name }) => ({
    what: `${name} occurs twice`,
    text: textOf([...right, [name, '{"other":1}']]),
  }));
  const all = { what: 'every field is right', text: textOf(every) };
  return [
    { what: 'no field', text: '{}' },
    { what: 'only the required fields', text: textOf(right) },
    all,
    ...wrong,
    ...without,
    ...twice,
    ...wholes,
  ];
}

const queryValues = [
  '',
  'x'.repeat(2_000),
  '%00',
  '%ed%a0%80',
  '%f0%9f%98%80',
  '..%2f',
  '-1',
  '1e400',
  'NaN',
  '%zz',
  '[]',
];

/** A query, beginning with a question mark. */
export interface Query {
  readonly text: string;
  /** The field with the mistake; undefined when the query is wrong as a whole. */
  readonly field?: string;
}

export const badQueries = ({ query }: Described): readonly Query[] => [
  ...query.flatMap(({ name }) => queryValues.map((value) => ({ text: `?${name}=${value}`, field: name }))),
  ...query.map(({ name }) => ({ text: `?${name}=1&${name}=true`, field: name })),
  { text: '?list=perhaps' },
  { text: '?help=2' },
  { text: '?&&=&=x&%00=1' },
];
