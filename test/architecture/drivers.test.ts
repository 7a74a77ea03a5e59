import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '../../lib/destinations/index.ts';
import { shapeViolations } from './drivers.ts';

const root = new URL('../..', import.meta.url).pathname;

async function sources() {
  const found: { readonly path: string; readonly text: string }[] = [];
  for await (const path of glob('lib/destinations/*/**/*', { cwd: root })) {
    if (path.includes('.')) found.push({ path, text: await readFile(`${root}${path}`, 'utf8') });
  }
  return found;
}

const whole = ['index.ts', 'fields.ts', 'names.ts', 'driver.ts', 'fake/index.ts'].map((name) => ({
  path: `lib/destinations/one/${name}`,
  text: '',
}));

test('the folders of all destination types have the same files for the same roles', async () => {
  const files = await sources();
  for (const { type } of definitions)
    expect(files.map(({ path }) => path)).toContain(`lib/destinations/${type}/driver.ts`);
  expect(shapeViolations(files)).toEqual([]);
});

test('a type without a stand-in, or without names, is not whole', () => {
  expect(shapeViolations(whole)).toEqual([]);
  expect(shapeViolations(whole.slice(1))).toEqual(['lib/destinations/one/index.ts is missing']);
  expect(shapeViolations(whole.slice(0, -1))).toEqual(['lib/destinations/one/fake/index.ts is missing']);
});

test.each([
  ['helpers.ts', ''],
  ['helpers.ts', '// Beyond the usual files:'],
  ['helpers.ts', "import './x.ts';\n// Beyond the usual files: the reason stands too late."],
  ['fake.ts', ''],
  ['deep/put.ts', '// Beyond the usual files: there is no second floor in a driver.'],
])('%s with %j is a stray file', (name, text) => {
  const path = `lib/destinations/one/${name}`;
  expect(shapeViolations([...whole, { path, text }])).toEqual([expect.stringContaining(path)]);
});

test.each([
  ['look.ts', ''],
  ['fake/routes.ts', ''],
  ['plan.ts', '// Beyond the usual files: several objects may have one name.\nimport "./x.ts";'],
])('%s is none', (name, text) => {
  expect(shapeViolations([...whole, { path: `lib/destinations/one/${name}`, text }])).toEqual([]);
});
