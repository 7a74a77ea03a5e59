import { glob, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { namesMax, shapeViolations } from './drivers.ts';

const root = new URL('../..', import.meta.url).pathname;

async function sources() {
  const found: { readonly path: string; readonly text: string }[] = [];
  for await (const path of glob('lib/destinations/*/**/*', { cwd: root })) {
    if (path.includes('.')) found.push({ path, text: await readFile(`${root}${path}`, 'utf8') });
  }
  return found;
}

const complete = ['index.ts', 'fields.ts', 'names.ts', 'driver.ts', 'fake/index.ts'].map((name) => ({
  path: `lib/destinations/one/${name}`,
  text: '',
}));

const reason = '// Beyond the usual files: several objects may have one name.';

const violationsWith = (...more: readonly (readonly [name: string, text: string])[]) =>
  shapeViolations([...complete, ...more.map(([name, text]) => ({ path: `lib/destinations/one/${name}`, text }))]);

test('the folders of all destination types have the same files for the same roles', async () => {
  const files = await sources();
  for (const { type } of definitions)
    expect(files.map(({ path }) => path)).toContain(`lib/destinations/${type}/driver.ts`);
  expect(shapeViolations(files)).toEqual([]);
});

test('a type without a stand-in or without names is incomplete', () => {
  expect(shapeViolations(complete)).toEqual([]);
  expect(shapeViolations(complete.slice(1))).toEqual(['lib/destinations/one/index.ts is missing']);
  expect(shapeViolations(complete.slice(0, -1))).toEqual(['lib/destinations/one/fake/index.ts is missing']);
});

test.each([
  ['helpers.ts', ''],
  ['helpers.ts', '// Beyond the usual files:'],
  ['helpers.ts', "import './x.ts';\n// Beyond the usual files: the reason is in the second line."],
  ['fake.ts', ''],
  ['deep/put.ts', '// Beyond the usual files: deep is not a role.'],
  ['put/batch/plan.ts', reason],
  ['put/plan.ts', reason],
])('%s with %j is a stray file', (name, text) => {
  expect(violationsWith([name, text])).toEqual([expect.stringContaining(`lib/destinations/one/${name}`)]);
});

test.each([
  ['look.ts', ''],
  ['look/look.ts', ''],
  ['fake/routes.ts', ''],
  ['plan.ts', `${reason}\nimport "./x.ts";`],
])('%s is not', (name, text) => {
  expect(violationsWith([name, text])).toEqual([]);
});

test('a role with several files has a folder, and each file but the first states its reason', () => {
  const put = ['put/put.ts', ''] as const;
  expect(violationsWith(put, ['put/plan.ts', reason])).toEqual([]);
  expect(violationsWith(put, ['put/plan.ts', ''])).toEqual([expect.stringContaining('put/plan.ts')]);
  expect(violationsWith(put, ['put.ts', ''])).toEqual(['lib/destinations/one/put/ and put.ts are one role']);
});

test(`a folder has at most ${namesMax} names`, () => {
  const further = Array.from({ length: namesMax - complete.length + 1 }, (_, at) => [`more-${at}.ts`, reason] as const);
  expect(violationsWith(...further.slice(1))).toEqual([]);
  expect(violationsWith(...further)).toEqual([`lib/destinations/one/ shows 15 names: 14 at most`]);
});
