import { expect, test } from 'vitest';
import { problemOf } from '#core/problem.ts';
import { realTable } from '#infra/generate/rows.ts';
import { inputReader } from '#path/input/parse.ts';
import { distance } from '#path/input/unknown.ts';
import { fieldMeta } from '#path/meta.ts';
import { fieldKey } from '#path/vocabulary.ts';

const operations = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap(({ pattern, operations: ofRow }) =>
    Object.entries(ofRow).flatMap(([verb, operation]) => {
      const fields = Object.keys(operation.fields).filter(
        (name) => fieldMeta(operation.fields[name] as never).in !== 'path',
      );
      return operation.marks.anyFields === true ? [] : [[`${verb} ${mount}/${pattern}`, operation, fields] as const];
    }),
  ),
);

test('two spellings of one field are refused on every row', () => {
  for (const [where, operation, fields] of operations) {
    for (const name of [...fields, 'anything']) {
      const data = { [name]: 'x', [name.toUpperCase()]: 'marker-value' };
      const parsed = inputReader(operation)({ parameters: {}, data });
      expect(parsed, where).toEqual({
        ok: false,
        problems: [problemOf(fieldKey(name), expect.stringContaining('was sent twice'))],
      });
      expect(JSON.stringify(parsed), where).not.toContain('marker-value');
      const both = inputReader(operation)({ parameters: {}, data: { [name]: 'x' }, queryNames: [name] });
      expect(both, where).toEqual({
        ok: false,
        problems: [problemOf(fieldKey(name), expect.stringContaining('in the body and in the query'))],
      });
    }
  }
  expect(operations.length).toBeGreaterThan(200);
});

test.each([
  ['a', 'a', 0],
  ['', 'abc', 3],
  ['allowed_polices', 'allowed_policies', 1],
  ['tpye', 'type', 1],
  ['kitten', 'sitting', 3],
])('from %j to %j it is %i changes', (a, b, changes) => {
  expect(distance(a, b)).toBe(changes);
  expect(distance(b, a)).toBe(changes);
});
