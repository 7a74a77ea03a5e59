import { describe, expect, test } from 'vitest';
import { scan } from './scan.ts';

const importsOf = (text: string) => scan('lib/sync/rows/file.ts', text).imports;
const file = (path: string) => ({ kind: 'file', path });
const fromPackage = (name: string) => ({ kind: 'package', name });

describe('the scanner finds', () => {
  test.each([
    ["import { a } from './a.ts';", file('lib/sync/rows/a.ts')],
    ["import type { A } from '../a.ts';", file('lib/sync/a.ts')],
    ["import a, {\n  b,\n  type C,\n} from '../../core/a.ts';", file('lib/core/a.ts')],
    ["import * as a from './a.ts';", file('lib/sync/rows/a.ts')],
    ["import './a.ts';", file('lib/sync/rows/a.ts')],
    ["export { a } from './a.ts';", file('lib/sync/rows/a.ts')],
    ["export * from './a.ts';", file('lib/sync/rows/a.ts')],
    ["export type { A } from './a.ts';", file('lib/sync/rows/a.ts')],
    ["type A = import('./a.ts').A;", file('lib/sync/rows/a.ts')],
    ["const a = await import('./a.ts');", file('lib/sync/rows/a.ts')],
    ['const a = await import(`./a.ts`);', file('lib/sync/rows/a.ts')],
    ["import { a } from '@scope/name/deep/file';", fromPackage('@scope/name')],
    ["import { a } from 'name/deep';", fromPackage('name')],
    ["import { a } from 'node:fs';", fromPackage('node:fs')],
    ['const a = await import(`./${name}.ts`);', { kind: 'computed' }],
    ['const a = await import(name);', { kind: 'computed' }],
    ["import { /* '*/ a } from './a.ts';", file('lib/sync/rows/a.ts')],
  ])('%s', (text, expected) => {
    expect(importsOf(text)).toEqual([expected]);
  });
});

describe('the scanner finds no import in', () => {
  test.each([
    "// import { a } from './a.ts';",
    "/*\nimport { a } from './a.ts';\n*/",
    "/** See `import('./a.ts')`. */",
    'const text = "import { a } from \'./a.ts\'";',
    "const text = `\nimport { a } from './a.ts';\n`;",
    "export const from = './a.ts';",
    "export function from(a = './a.ts') {}",
    'const url = import.meta.url;',
  ])('%s', (text) => {
    expect(importsOf(text)).toEqual([]);
  });
});

describe('the scanner still finds an import after text that looks like the start of a string or a comment:', () => {
  test.each([
    'const quotes = /[\'"`]/;',
    'const glob = "test/**/*.test.ts";',
    "const address = 'https://example.com';",
    'const ratio = total / 2; // half of it isn\'t "much"',
    'const nested = `a${`b`}c`;',
    "const escaped = 'it\\'s';",
    'const slash = text.split(/\\//);',
    'const set = /[/*]/;',
  ])('%s', (text) => {
    expect(importsOf(`${text}\nimport { a } from './a.ts';`)).toEqual([file('lib/sync/rows/a.ts')]);
  });
});

test('code in the holes of a template is code', () => {
  expect(scan('a.ts', 'const path = `to ${process.env.PATH}`;').code).toContain('process.env.PATH');
});
