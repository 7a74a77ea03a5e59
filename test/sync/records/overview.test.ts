import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rootNamespace } from '#core/namespace.ts';
import type { OpenStore } from '#store/open.ts';
import { countedDestinations } from '#sync/records/overview/counts.ts';
import { sharedReadings } from '#sync/records/overview/readings.ts';
import { testStore } from '../../store/stores.ts';
import { insertDestinations, insertRecords } from './many.ts';

describe('the numbers of destinations', () => {
  let store: OpenStore;
  beforeAll(async () => {
    store = await testStore();
    await insertDestinations(store, ['empty', 'full']);
    await insertRecords(store, [
      { destination: 'full', secret: 'a' },
      { destination: 'full', secret: 'b' },
      { destination: 'full', secret: 'c', status: 'CLIENT_SIDE_ERROR', kind: 'name' },
      { destination: 'full', secret: 'd', status: 'CLIENT_SIDE_ERROR', kind: 'too-large' },
      { destination: 'full', secret: 'e', status: 'PENDING', kind: 'timeout', attempts: 1 },
      { destination: 'full', secret: 'f', status: 'PENDING', kind: 'timeout' },
      { destination: 'full', secret: 'g', status: 'UNSYNCED', desired: 'absent', kind: 'name' },
      { destination: 'full', secret: 'h', status: 'OF_ANOTHER_RELEASE' },
    ]);
  });
  afterAll(() => store.close());

  test('are counted by status and kind of error, without remnants and outdated errors', async () => {
    const counted = await countedDestinations(store, rootNamespace.id);
    expect(
      counted.map(({ name, counts, errors }) => [name, Object.fromEntries(counts), Object.fromEntries(errors)]),
    ).toEqual([
      ['empty', {}, {}],
      ['full', { SYNCED: 2, CLIENT_SIDE_ERROR: 2, PENDING: 2, UNKNOWN: 1 }, { name: 1, 'too-large': 1, timeout: 1 }],
    ]);
  });

  test('are those of one namespace', async () => {
    expect(await countedDestinations(store, 'other')).toEqual([]);
  });
});

describe('a shared reading', () => {
  function readings() {
    const reads: ((value: string) => void)[] = [];
    const clock = { ms: 0 };
    const read = sharedReadings(
      () => new Promise<string>((resolve) => reads.push(resolve)),
      () => clock.ms,
    );
    return { reads, read, clock };
  }

  test('is one for all that ask while it runs and for a second after it', async () => {
    const { reads, read, clock } = readings();
    const both = Promise.all([read('a'), read('a')]);
    reads[0]?.('one');
    expect(await both).toEqual(['one', 'one']);
    clock.ms = 999;
    expect(await read('a')).toBe('one');
    clock.ms = 1_000;
    void read('a');
    void read('b');
    expect(reads).toHaveLength(3);
  });

  test('is kept longer when it took long', async () => {
    const { reads, read, clock } = readings();
    const first = read('a');
    clock.ms = 500;
    reads[0]?.('one');
    await first;
    clock.ms = 10_499;
    void read('a');
    expect(reads).toHaveLength(1);
    clock.ms = 10_500;
    void read('a');
    expect(reads).toHaveLength(2);
  });
});
