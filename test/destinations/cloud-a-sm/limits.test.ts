import { describe, expect, test } from 'vitest';
import { calm, failureOf, item, standForEach } from './connection.ts';

const stand = standForEach();

describe('refusing before any call', () => {
  test('an empty value, a value that is too large, and a name outside the rule', async () => {
    const failures = [
      await failureOf(stand.driver.put(item('app/db', ''), calm())),
      await failureOf(stand.driver.put(item('app/db', 'ä'.repeat(32_769)), calm())),
      await failureOf(stand.driver.put(item('app db', 'one'), calm())),
    ];
    expect(failures.map(({ kind }) => kind)).toEqual(['invalid', 'too-large', 'name']);
    expect(stand.fake.calls().size).toBe(0);
  });

  test('the largest value and the longest name pass', async () => {
    const name = 'n'.repeat(512);
    await stand.driver.put(item(name, 'x'.repeat(65_536)), calm());
    expect(stand.fake.objects().get(name)?.value).toHaveLength(65_536);
  });
});
