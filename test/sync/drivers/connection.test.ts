import { expect, test } from 'vitest';
import { definitions } from '../../../lib/destinations/index.ts';
import { givenOf, toStored, withDefaults } from '../../../lib/sync/drivers/connection.ts';

test.each(definitions)(
  '$type: what is stored is whole, says what was given, and knows what it has not',
  ({ fields }) => {
    const given = { endpoint: 'https://x.example.com', purge_on_delete: true };
    const stored = JSON.parse(JSON.stringify(toStored(fields, given)));
    expect(stored).toMatchObject(withDefaults(fields, given));
    expect(givenOf(stored)).toEqual(given);
    for (const [name, schema] of Object.entries(fields)) {
      const usual = schema.safeParse(undefined).data;
      if (usual !== undefined && !(name in given)) expect(stored[name]).toEqual(usual);
    }
  },
);

test('what an earlier release stored was all given', () => {
  const stored = { region: 'us-east-1', recovery_window_days: 7 };
  expect(givenOf(stored)).toEqual(stored);
});
