import { describe, test } from 'vitest';
import { operations } from './fields.ts';
import { fieldMustBeLinear, unknownFieldsMustBeLinear } from './linear.ts';

describe.each(operations)('$name', ({ name, operation, fields }) => {
  test('no value of a field is too expensive', () => {
    for (const field of Object.keys(fields)) fieldMustBeLinear(operation, field, `${name}, ${field}`);
  });

  test('unknown fields are not too expensive', () => {
    unknownFieldsMustBeLinear(operation, name);
  });
});
