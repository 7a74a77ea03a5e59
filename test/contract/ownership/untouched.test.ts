import { describe, expect, test } from 'vitest';
import type { PutItem } from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { calm, type Stand, standFor } from '../support/stand.ts';

/** Faults in which the remote refuses the call. */
const refusals: readonly Fault['kind'][] = ['denied', 'credentials', 'throttle'];

describe.each(definitions)('the failure of a put to $type', (definition) => {
  const stand = standFor(definition);
  const { names, valueBytesMax } = definition;

  test.each(refusals)('reports that nothing was written when the first calls met %s', async (kind) => {
    const item = stand.item(stand.name(), 'the value that is refused');
    stand.fake.fail({ kind });
    expect(await failureOf(stand, item)).toMatchObject({ untouched: true });
    expect(stand.object(item.name)).toBeUndefined();
  });

  test.each(refusals)('reports it for an adoption too when the first calls met %s', async (kind) => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    stand.fake.fail({ kind });
    expect(await failureOf(stand, stand.item(name, 'ours', { mode: 'adopt' }))).toMatchObject({ untouched: true });
    expect(stand.object(name)?.value).toBe('the value of another client');
  });

  test('reports it for puts that make no call', async () => {
    const large = stand.item(stand.name(), 'v'.repeat(valueBytesMax + 1));
    const long = stand.item(names.normalise('n'.repeat(names.lengthMax + 1)), 'the value under a long name');
    expect(await failureOf(stand, large)).toMatchObject({ kind: 'too-large', untouched: true });
    expect(await failureOf(stand, long)).toMatchObject({ kind: 'name', untouched: true });
    const blocked = stand.open({ network: { ...strictPolicy } }).put(stand.item(stand.name(), 'kept in'), calm);
    expect(await stand.failure(blocked, 'blocked')).toMatchObject({ untouched: true });
  });

  test('reports it when a foreign object exists', async () => {
    const name = stand.name();
    stand.fake.seed(name, 'the value of another client');
    expect(await failureOf(stand, stand.item(name, 'ours'))).toMatchObject({ kind: 'conflict', untouched: true });
  });

  test('does not report it when the answer was lost', async () => {
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
