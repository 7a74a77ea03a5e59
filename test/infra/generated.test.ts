import { expect, test } from 'vitest';
import { replaceMarked } from '#infra/generate/marked.ts';
import { outdatedFiles, withoutType } from '#infra/generate/outdated.ts';
import { testDatabase } from '../support/services.ts';

test('what follows from the list of destinations, the path table and the migrations is up to date', async () => {
  const outdated = await outdatedFiles(await testDatabase());
  const remedy = 'run "npm run generate", and put what was written into your commit';
  expect(
    outdated.map(({ path }) => path),
    remedy,
  ).toEqual([]);
});

test('a manifest of a removed type is found', () => {
  const files = new Map([['infra/kubernetes/worker-there.yml', 'text']]);
  expect(withoutType(files, ['api.yml', 'worker-gone.yml', 'worker-there.yml'])).toEqual([
    'infra/kubernetes/worker-gone.yml',
  ]);
});

test('only the marked part is replaced', () => {
  const text = 'a\n# generated: rows (by a tool)\nold\nold\n# end of rows\nb\n';
  expect(replaceMarked(text, 'rows', 'new')).toBe('a\n# generated: rows (by a tool)\nnew\n# end of rows\nb\n');
  expect(() => replaceMarked(text, 'columns', 'new')).toThrow('generated: columns');
  expect(() => replaceMarked('# generated: rows (by a tool)', 'rows', 'new')).toThrow('generated: rows');
});
