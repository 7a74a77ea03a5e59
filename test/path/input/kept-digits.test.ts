import { describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '#core/json/json.ts';
import { realTable } from '#infra/generate/rows.ts';
import type { Operation } from '#path/contract/row.ts';
import { inputReader } from '#path/input/parse.ts';

// A number whose digits are kept is an object that no comparison accepts. zod compares `length` and `size` of any object.
const forms = [
  '{"length":1.0}',
  '{"size":1.0}',
  '[{"length":1.0}]',
  '{"key":{"length":1.0}}',
  '{"key":[{"length":1.0}]}',
];

const operations: readonly (readonly [string, Operation])[] = Object.entries(realTable).flatMap(([mount, rows]) =>
  rows.flatMap((row) =>
    Object.entries(row.operations).map(([verb, one]) => [`${verb} ${mount}/${row.pattern}`, one] as const),
  ),
);

describe('a field that holds an object whose length or size is a number with kept digits', () => {
  test.each(operations)('is read or refused by %s', (_name, operation) => {
    const read = inputReader(operation);
    for (const field of Object.keys(operation.fields)) {
      for (const form of forms) {
        const data = parseJson(`{${JSON.stringify(field)}:${form}}`) as JsonObject;
        expect(() => read({ parameters: {}, data })).not.toThrow();
      }
    }
  });
});
