import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { givenOf, toStored, withDefaults } from '#sync/drivers/connection.ts';

test.each(definitions)('$type: a stored connection is complete and remembers which fields were given', ({ fields }) => {
  const given = { endpoint: 'https://x.example.com', purge_on_delete: true };
  const stored = JSON.parse(JSON.stringify(toStored(fields, given)));
  expect(stored).toMatchObject(withDefaults(fields, given));
  expect(givenOf(stored)).toEqual(given);
  for (const [name, schema] of Object.entries(fields)) {
    const usual = schema.safeParse(undefined).data;
    if (usual !== undefined && !(name in given)) expect(stored[name]).toEqual(usual);
  }
});

test('all fields that an earlier release stored count as given', () => {
  const stored = { region: 'us-east-1', recovery_window_days: 7 };
  expect(givenOf(stored)).toEqual(stored);
});
