import { describe, expect, test } from 'vitest';
import type { PutItem } from '../../../lib/destinations/contract.ts';
import type { Fault } from '../../../lib/destinations/fake.ts';
import { definitions } from '../../../lib/destinations/index.ts';
import { strictPolicy } from '../../../lib/network/policy.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

/** The remote has answered, and the answer was no. */
const refusals: readonly Fault['kind'][] = ['denied', 'credentials', 'throttle'];

describe.each(definitions)('the failure of a put to $type', (definition) => {
  const stand = standFor(definition);
  const { names, valueBytesMax } = definition;

  test.each(refusals)('promises that nothing was written when the first calls met %s', async (kind) => {
    const item = stand.item(stand.name(), 'the value that is refused');
    stand.fake.fail({ kind });
    expect(await failureOf(stand, item)).toMatchObject({ untouched: true });
    expect(stand.object(item.name)).toBeUndefined();
  });

  test.each(refusals)('promises it for an adoption as well when the first calls met %s', async (kind) => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of somebody else');
    stand.fake.fail({ kind });
    expect(await failureOf(stand, stand.item(name, 'ours', { mode: 'adopt' }))).toMatchObject({ untouched: true });
    expect(stand.object(name)?.value).toBe('the value of somebody else');
  });

  test('promises it for what does not even go out', async () => {
    const large = stand.item(stand.name(), 'v'.repeat(valueBytesMax + 1));
    const long = stand.item(names.normalise('n'.repeat(names.lengthMax + 1)), 'the value under a long name');
    expect(await failureOf(stand, large)).toMatchObject({ kind: 'too-large', untouched: true });
    expect(await failureOf(stand, long)).toMatchObject({ kind: 'name', untouched: true });
    const blocked = stand.open({ network: { ...strictPolicy } }).put(stand.item(stand.name(), 'kept in'), calm);
    expect(await stand.failure(blocked, 'blocked')).toMatchObject({ untouched: true });
  });

  test('promises it when an object of somebody else is there', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of somebody else');
    expect(await failureOf(stand, stand.item(name, 'ours'))).toMatchObject({ kind: 'conflict', untouched: true });
  });

  test('promises nothing when the answer was lost', async () => {
    const item = stand.item(stand.name(), 'the value whose receipt was lost');
    stand.fake.fail({ kind: 'lost-answer', times: 1 });
    expect(await failureOf(stand, item)).toMatchObject({ untouched: false });
  });
});

function failureOf(stand: Stand, item: PutItem) {
  return stand.failure(
    stand.open().put(item, calm),
    'permission',
    'credentials',
    'throttled',
    'too-large',
    'name',
    'conflict',
    'network',
    'timeout',
  );
}
