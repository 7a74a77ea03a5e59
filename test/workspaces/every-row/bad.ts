import type { ApiRow } from '#path/jsonapi/row.ts';
import type { Names } from './fields.ts';
import { parametersOf, shown } from './rows.ts';
import { sampleOf } from './samples.ts';
import type { Seed } from './seed.ts';

/** A request that a row does not expect. */
export interface Bad {
  readonly what: string;
  readonly path: string;
  readonly body?: string;
  readonly mediaType?: string;
}

/** JSON texts sent unchanged. Each is invalid for most attributes. */
const values: Readonly<Record<string, string>> = {
  'a string': '"x"',
  'an empty string': '""',
  'a string of 100 kB': `"${'x'.repeat(100_000)}"`,
  'umlauts and emoji': '"Gr\u00fc\u00dfe \u{1f600} \u202e\ufeff"',
  'control characters': '"a\\u0001\\u001b\\r\\nb"',
  NUL: '"a\\u0000b"',
  'a lone surrogate': '"a\\ud800"',
  'a path with parent folders': '"../../admin/users"',
  SQL: '"x\'); drop table ws_users; --"',
  'a pattern': '"%_\\\\"',
  'too large a number': '1e400',
  'a negative number': '-1',
  '2^31': '2147483648',
  '2^63': '9223372036854775808',
  fraction: '0.5',
  'an invalid time': '"2026-13-45T99:99:99Z"',
  'a time in the far future': '"9999-12-31T23:59:59Z"',
  true: 'true',
  null: 'null',
  'a list': '["a","b"]',
  'a list of lists': '[[["a"]],[{}]]',
  'a list with NUL': '["a\\u0000", "\\ud800"]',
  'an object': '{"a":{"b":[1]}}',
  'lengths with kept digits': '{"length":1.0,"key":{"length":1.0}}',
  'a list of lengths with kept digits': '[{"length":1.0},{"key":{"length":1.0},"value":{"length":1.0}}]',
  'an object with bad keys': '{"":"","a\\u0000":"\\u0000","__proto__":{"x":1},"constructor":"x"}',
};

const linkages: readonly string[] = [
  ...['7', 'null', '"x"', '[]', '{"data":7}', '{"data":[]}', '{"data":[7]}', '{"data":null}', '{"data":{}}'],
  ...['{"data":{"id":7,"type":"x"}}', '{"data":{"id":"\\u0000","type":"x"}}', '{"data":{"id":"x"}}'],
  ...[
    '{"data":[{"id":"x"}]}',
    '{"data":[{"id":{}}]}',
    '{"data":[{"attributes":7}]}',
    '{"data":[{"attributes":{"name":7,"key":[]}}]}',
  ],
  ...['{"data":[{"attributes":{"name":"\\u0000","key":"\\u0000","value":"\\ud800"}}]}', '{"links":{}}'],
];

/** Bodies that are invalid for every row. */
const wholes: readonly string[] = [
  ...[
    '',
    ' ',
    '7',
    '1e400',
    'null',
    '"x"',
    '[]',
    '{}',
    '{} {}',
    'a=1',
    '{"data":',
    '\ufeff{}',
    '{"data":null}',
    '{"data":7}',
  ],
  ...[
    '{"data":[]}',
    '{"data":[7]}',
    '{"data":[{}]}',
    '{"data":[{"type":7,"id":7}]}',
    '{"data":{}}',
    '{"data":{"type":7}}',
  ],
  ...[
    '{"data":{"attributes":7}}',
    '{"data":{"attributes":[]}}',
    '{"data":{"relationships":7}}',
    '{"data":{"relationships":[]}}',
  ],
  ...['users', 'workspaces', 'organization-memberships', 'tags'].flatMap((type) => [
    `{"data":[{"type":"${type}","id":"none"}]}`,
    `{"data":[{"type":"${type}","id":"\\u0000"}]}`,
    `{"data":[{"type":"${type}","id":"\\ud800"},{"type":"${type}","id":"${'x'.repeat(10_000)}"}]}`,
    `{"data":[${Array.from({ length: 2_000 }, (_, at) => `{"type":"${type}","id":"n${at}"}`).join()}]}`,
  ]),
  `{"data":${'['.repeat(10_000)}${']'.repeat(10_000)}}`,
  '{"data":'.repeat(10_000),
  `{"data":{"attributes":{${Array.from({ length: 5_000 }, (_, at) => `"n${at}":1`).join()}}}}`,
];

const segments = [
  ...['..', '.', '%2e%2e', 'a%2fb', 'a%20b', '%00', 'a%0d%0ab', '%ff', '%zz', '%ed%a0%80', '%f0%9f%98%80', '__proto__'],
  ...['constructor', ':id', '*', 'a;b', 'a%3fb', 'a%5cb', '%25', "'", 'x'.repeat(3_000), '%c3%bc'.repeat(600)],
];

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
  '%25_%5c',
  ',,,',
  '*',
];

/** Bad requests for a row. `fields` are the attributes that it reads. */
export function badRequests(row: ApiRow, { seed, names, fields, read, number }: Walk): readonly Bad[] {
  const right = pathOf(row, (name) => seed.valueFor(row.path, name));
  const brings = row.method !== 'GET';
  const plain = () => (brings ? { body: documentText(row, number()) } : {});
  return [
    ...parametersOf(row).flatMap((parameter) =>
      segments.map((segment) => ({
        what: `${parameter} is ${segment.slice(0, 20)}`,
        path: pathOf(row, (name) => (name === parameter ? segment : seed.valueFor(row.path, name))),
        ...plain(),
      })),
    ),
    ...(brings
      ? []
      : badQueries(names, read, number()).map((query) => ({ what: query.slice(0, 200), path: right + query }))),
    ...(brings ? wholes.map((body) => ({ what: `the document ${body.slice(0, 40)}`, path: right, body })) : []),
    ...(brings ? attributesOf(row, fields, number) : []).map(({ what, body }) => ({ what, path: right, body })),
    ...(brings ? relationshipsOf(row, { names, read, number }) : []).map(({ what, body }) => ({
      what,
      path: right,
      body,
    })),
    ...(brings
      ? [{ what: 'another media type', path: right, body: '{}', mediaType: 'application/json; charset="' }]
      : []),
  ];
}

export interface Walk {
  readonly seed: Seed;
  readonly names: Names;
  readonly fields: readonly string[];
  /** The relationships or query parameters that the row reads. They get every bad value, all others get one. */
  readonly read: readonly string[];
  /** Different at each call. */
  readonly number: () => number;
}

/** The path below `/api/v2/`, without further encoding. */
export const pathOf = (row: ApiRow, valueFor: (name: string) => string): string =>
  row.path.replace(/^\/api\/v2\//, '').replaceAll(/:(\w+)/g, (_all, name: string) => valueFor(name));

/** The valid document of a row, with some members replaced by JSON texts. */
export function documentText(
  row: ApiRow,
  n: number,
  changed: { readonly attributes?: Members; readonly relationships?: Members } = {},
): string {
  const { type, attributes, relationships } = sampleOf(shown(row), n);
  const textOf = (members: object, more: Members = []) => {
    const all = new Map(Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)]));
    for (const [name, text] of more) all.set(name, text);
    return `{${[...all].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
  };
  return `{"data":{"type":${JSON.stringify(type)},"attributes":${textOf(attributes, changed.attributes)},"relationships":${textOf(relationships, changed.relationships)}}}`;
}

/** Names, each with a JSON text. */
type Members = readonly (readonly [name: string, text: string])[];

const attributesOf = (row: ApiRow, fields: readonly string[], number: () => number) =>
  fields.flatMap((field) =>
    Object.entries(values).map(([what, value]) => ({
      what: `${field} is ${what}`,
      body: documentText(row, number(), { attributes: [[field, value]] }),
    })),
  );

/** Each name that is read with each linkage, and the others together, each with one. */
const relationshipsOf = (row: ApiRow, { names, read, number }: Pick<Walk, 'names' | 'read' | 'number'>) =>
  shared(names.relationships, linkages, read, number()).map(([among, linkage]) => ({
    what: `${among.join()} leads to ${linkage}`,
    body: documentText(row, number(), { relationships: among.map((name) => [name, linkage]) }),
  }));

const badQueries = ({ queries }: Names, read: readonly string[], number: number): readonly string[] => [
  ...shared(queries, queryValues, read, number).map(([among, value]) => queryOf(among, value)),
  ...[
    '?include=everything',
    '?page[number]=0',
    '?page[size]=100000',
    '?page[number]=10000000',
    '?&&=&=x&%00=1',
    '?sort=,-',
  ],
];

/** A query in which all these names have one value. */
export const queryOf = (names: readonly string[], value: string): string =>
  `?${names.map((name) => `${name}=${value}`).join('&')}`;

/** Each of the names that are read with each value. Of the others each has one value, and those with the same one are together. */
function shared(
  names: readonly string[],
  values: readonly string[],
  read: readonly string[],
  n: number,
): readonly (readonly [names: readonly string[], value: string])[] {
  const others = names.filter((name) => !read.includes(name));
  return [
    ...read.flatMap((name) => values.map((value) => [[name], value] as const)),
    ...values
      .map((value, at) => [others.filter((_name, other) => (other + n) % values.length === at), value] as const)
      .filter(([among]) => among.length > 0),
  ];
}

/** Requests that show whether a row reads a query parameter or a relationship. */
export const tellingQueries = ['x', '%00'];
export const tellingLinkages = ['7', '{"data":[7]}', '{"data":{"id":"\\u0000","type":"x"}}'];

/** A document in which every attribute has an invalid value: the errors name the attributes that the row reads. */
export const probe = (row: ApiRow, attributes: readonly string[], value: string): string =>
  `{"data":{"type":${JSON.stringify(sampleOf(shown(row), 0).type)},"attributes":{${attributes.map((name) => `${JSON.stringify(name)}:${value}`).join()}}}}`;
