import { describe, expect, test } from 'vitest';
import { operations, withNewSchemas } from './fields.ts';
import { fieldMustBeLinear, unknownFieldsMustBeLinear } from './linear.ts';

// Each distinct schema of a field once; cost.system.test.ts has every field of every operation.
const chosen = withNewSchemas();
const fieldsOf = (list: typeof chosen) => list.flatMap(({ fields }) => Object.keys(fields));

test('fewer fields have distinct schemas than there are fields', () => {
  expect(fieldsOf(chosen).length).toBeGreaterThan(50);
  expect(fieldsOf(chosen).length).toBeLessThan(fieldsOf(operations).length / 3);
});

describe.each(chosen)('$name', ({ name, operation, fields }) => {
  test.each(Object.keys(fields))('no value of the field %s is too expensive', (field) => {
    fieldMustBeLinear(operation, field, `${name}, ${field}`);
  });
});

test.each(operations.slice(0, 10))('unknown fields of $name are not too expensive', ({ name, operation }) => {
  unknownFieldsMustBeLinear(operation, name);
});
