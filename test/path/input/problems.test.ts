import { expect, test } from 'vitest';
import { byField } from '#core/problem.ts';
import { realTable } from '#infra/generate/rows.ts';
import type { Verb } from '#path/contract/request.ts';
import type { Operation } from '#path/contract/row.ts';
import { inputReader } from '#path/input/parse.ts';
import { fieldMeta } from '#path/meta.ts';

const operations: readonly (readonly [string, Verb, Operation])[] = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(
      ([verb, operation]) => [`${verb} ${mount}/${row.pattern}`, verb as Verb, operation] as const,
    ),
  ),
);

const marker = 'marker-value';
const spoilt: readonly unknown[] = [{ [marker]: { [marker]: [] } }, [[marker]], marker, -1, `${marker}\0`];

function problemsOf(operation: Operation, verb: Verb, data: Readonly<Record<string, unknown>>) {
  const parsed = inputReader(operation, verb)({ parameters: {}, data });
  return parsed.ok ? [] : byField(parsed.problems, (name) => name);
}

test('a value that a field does not accept is a problem of this field, on every row', () => {
  const refused = new Set<string>();
  for (const [where, verb, operation] of operations) {
    for (const [name, field] of Object.entries(operation.fields)) {
      for (const value of spoilt.filter((one) => !field.safeParse(one).success)) {
        const own = problemsOf(operation, verb, { [name]: value }).filter((problem) => problem.field === name);
        expect(own, `${where} ${name}`).toHaveLength(1);
        expect(own[0]?.message, `${where} ${name}`).toMatch(/\S{2,}/);
        if (fieldMeta(field).sensitive) expect(own[0]?.message, `${where} ${name}`).not.toContain(marker);
        refused.add(`${where} ${name}`);
      }
    }
  }
  expect(refused.size).toBeGreaterThan(1_000);
});

test('a required field that is missing is a problem of this field, on every row', () => {
  let count = 0;
  for (const [where, verb, operation] of operations) {
    const required = Object.entries(operation.fields).flatMap(([name, field]) =>
      field.safeParse(undefined).success ? [] : [name],
    );
    if (required.length === 0) continue;
    const shown = required.slice(0, 10).map((field) => ({ field, message: 'required' }));
    expect(problemsOf(operation, verb, {}), where).toEqual(shown);
    count += required.length;
  }
  expect(count).toBeGreaterThan(100);
});

test('a refused unknown field is a problem of its name, which is cut off', () => {
  const deletion = operations.find(
    ([where, , { fields }]) => where.startsWith('delete') && Object.keys(fields).length === 0,
  );
  const long = 'x'.repeat(100_000);
  const found = problemsOf(deletion?.[2] as Operation, 'delete', { [long]: 1, forse: true });
  expect(found.map(({ field }) => field)).toEqual(['forse', long.slice(0, 64)]);
  expect(JSON.stringify(found).length).toBeLessThan(1_000);
});
