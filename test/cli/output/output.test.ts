import { expect, test } from 'vitest';
import { formatted } from '#cli/output/format.ts';
import { one, rowsOf } from '#cli/output/result.ts';
import { hasColours, paintStatus } from '#cli/output/style.ts';
import { inLines } from '#cli/verbs/destinations/numbers.ts';
import { Digits, parseJson, printJson } from '#client/wire/json.ts';

const plain = (text: string): string => text;
const rows = rowsOf(
  { name: 'name', status: 'status' },
  [
    { name: 'a', status: 'SYNCED', external: 'x/a' },
    { name: 'b,"c"', status: null, external: 'x/b' },
  ],
  { external: 'external name' },
);

test.each([
  ['table', 'NAME   STATUS\na      SYNCED\nb,"c"  -\n'],
  ['wide', 'NAME   STATUS  EXTERNAL NAME\na      SYNCED  x/a\nb,"c"  -       x/b\n'],
  ['ndjson', '{"name":"a","status":"SYNCED","external":"x/a"}\n{"name":"b,\\"c\\"","status":null,"external":"x/b"}\n'],
  ['csv', 'name,status,external\r\na,SYNCED,x/a\r\n"b,""c""",,x/b\r\n'],
  ['yaml', '- name: a\n  status: SYNCED\n  external: x/a\n- name: b,"c"\n  status: null\n  external: x/b\n'],
] as const)('rows as %s', async (format, text) => {
  expect(await formatted(rows, format, plain)).toBe(text);
});

test('rows as json are the whole list', async () => {
  expect(JSON.parse(await formatted(rows, 'json', plain))).toEqual(rows.rows);
});

test('one thing is a table of its members, also of inner ones', async () => {
  const value = { name: 'prod', options: { level: 'secret-path', tags: {} }, list: ['a', 'b'] };
  expect(await formatted(one(value), 'table', plain)).toBe(
    'FIELD          VALUE\nname           prod\noptions.level  secret-path\noptions.tags   -\nlist           a, b\n',
  );
});

test('a table is folded into the terminal: texts at spaces, names and ids never', async () => {
  const failing = rowsOf({ destination: 'destination', error: 'error', id: 'id' }, [
    { destination: 'cloud-a-sm/prod', error: 'the destination rejects the credentials', id: '1204' },
    { destination: 'cloud-a-sm/a-name-that-is-rather-long', error: 'none', id: '5' },
  ]);
  const folded = await formatted(failing, 'table', plain, 60);
  expect(folded).toBe(
    [
      'DESTINATION                            ERROR                 ID',
      'cloud-a-sm/prod                        the destination       1204',
      '                                       rejects the',
      '                                       credentials',
      'cloud-a-sm/a-name-that-is-rather-long  none                  5',
      '',
    ].join('\n'),
  );
  expect(await formatted(failing, 'wide', plain, 60)).toContain('the destination rejects the credentials');
  const long = one({ remedy: 'a'.repeat(30), other: `b ${'c'.repeat(70)}` });
  const lines = (await formatted(long, 'table', plain, 40)).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40);
});

test('columns are as wide as the terminal shows them, and there may be very many rows', async () => {
  const names = rowsOf({ name: 'name', at: 'at' }, [
    { name: '秘密', at: 'x' },
    { name: 'e\u0301t', at: 'y' },
  ]);
  expect(await formatted(names, 'table', plain)).toBe('NAME  AT\n秘密  x\ne\u0301t    y\n');
  const many = rowsOf(
    { name: 'name' },
    Array.from({ length: 300_000 }, (_, at) => ({ name: String(at) })),
  );
  expect(await formatted(many, 'table', plain)).toContain('\n299999\n');
});

test('no text steers the terminal through a table', async () => {
  const value = { key: 'a\u001b[2Jb\nc\u202ed' };
  expect(await formatted(one(value), 'table', plain)).toBe('FIELD  VALUE\nkey    a\\u001b[2Jb\\nc\\u202ed\n');
});

test.each(['12345678901234567890', '1.0', '1e400', '-0'])(
  'the number %s keeps its digits in every format',
  async (digits) => {
    const value = parseJson(`{"n": ${digits}, "text": "${digits}"}`);
    expect(printJson(value)).toBe(`{"n":${digits},"text":"${digits}"}`);
    for (const format of ['table', 'json', 'csv', 'yaml'] as const)
      expect(await formatted(one(value), format, plain)).toContain(digits);
  },
);

test('a text that looks like a number, and digits that are none, are not changed', () => {
  expect(parseJson('["1.0", 1.50]')).toEqual(['1.0', new Digits('1.50')]);
  expect(() => parseJson('[007]')).toThrow(SyntaxError);
});

test('colours are for a terminal, and not with NO_COLOR or a dumb one', () => {
  const terminal = { isTTY: true, write: () => true };
  expect(hasColours(terminal, {})).toBe(true);
  expect(hasColours(terminal, { NO_COLOR: '1' })).toBe(false);
  expect(hasColours(terminal, { TERM: 'dumb' })).toBe(false);
  expect(hasColours({ write: () => true }, {})).toBe(false);
  expect(paintStatus(true)('SYNCED')).not.toBe('SYNCED');
  expect(paintStatus(true)('some secret')).toBe('some secret');
});

const destinationError = {
  kind: 'credentials',
  message: 'refused',
  remedy: 'set a new key',
  at: '2026-01-01T00:00:00.000Z',
};

test('the numbers and errors of a destination are lines of its table', () => {
  const stored = {
    name: 'prod',
    disabled: false,
    counts: { SYNCED: 3, PENDING: 1 },
    errors: {},
    drifted: 2,
    last_success_at: null,
    last_error: destinationError,
    drift_error: null,
  };
  expect(inLines(stored)).toEqual({
    name: 'prod',
    disabled: false,
    counts: 'SYNCED 3, PENDING 1',
    errors: '',
    drifted: 2,
    last_success_at: null,
    last_error: 'credentials: refused (2026-01-01T00:00:00.000Z); set a new key',
    drift_error: '',
  });
});

test('a caller that may not see numbers gets what the server shows', () => {
  expect(inLines({ name: 'prod' })).toEqual({ name: 'prod' });
});
