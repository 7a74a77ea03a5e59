import { expect, test } from 'vitest';

test('nothing yet', () => {
  expect(1).toBe(1);
});
