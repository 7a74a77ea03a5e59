import { beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '../../../lib/core/clock.ts';
import { AppError } from '../../../lib/core/errors.ts';
import { type Log, silentLog } from '../../../lib/core/log.ts';
import { definition } from '../../../lib/destinations/cloud-a-sm/index.ts';
import { DestinationFailure, type Driver } from '../../../lib/destinations/contract.ts';
import type { OpenStore } from '../../../lib/store/open.ts';
import type { Claimed } from '../../../lib/sync/claim/claim.ts';
import { intends } from '../../../lib/sync/claim/intents.ts';
import type { Finish } from '../../../lib/sync/reconcile/outcome.ts';
import { type ReconcileParts, reconcile } from '../../../lib/sync/reconcile/reconcile.ts';
import { syncHandler } from '../../../lib/sync/reconcile/worker.ts';
import { compileTemplate } from '../../../lib/sync/template/template.ts';
import { testStore } from '../../store/stores.ts';
import { aborted } from '../../support/aborted.ts';
import { patience } from '../../support/patience.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

/** A secret whose object we wrote before, with another value. */
const claim: Claimed = {
  kind: 'claimed',
  token: 't',
  id: '1',
  destinationId: '1',
  destinationRevision: 1,
  destinationName: 'x',
  type: definition.type,
  mountId: '00000000-0000-0000-0000-000000000001',
  mountPath: 'secret/',
  mountAccessor: 'kv_1',
  secretName: 'app',
  granularity: 'secret-path',
  template: '{{ .SecretPath }}',
  adopt: false,
  desired: 'present',
  generation: 2,
  forced: false,
  verify: false,
  recorded: true,
  attempts: 0,
  unconfirmed: undefined,
  storeAheadMs: 0,
  tags: {},
  confirmed: [],
  objects: [
    {
      subKey: '',
      name: 'app',
      nameKey: 'app',
      mark: 'm',
      intendedAt: new Date('2026-01-01T00:00:00Z'),
      written: true,
      seenMsAgo: 3_600_000,
      remoteVersion: 'v1',
      fingerprint: Buffer.from('00', 'hex'),
      tagKeys: [],
      removal: 'none',
    },
  ],
};

function partsWith(put: Driver['put'], changes: Partial<ReconcileParts> = {}) {
  const written: Finish[] = [];
  const invalidated: string[] = [];
  const driver: Driver = { put, remove: async () => {}, inspect: async () => undefined, close: async () => {} };
  const parts: ReconcileParts = {
    definition,
    store,
    clock: systemClock,
    log: silentLog,
    random: () => 0,
    retry: { attemptsMax: 3, delayMsFirst: 100, delayMsMax: 1_000 },
    recheck: { firstMs: 10_000, secondMs: 60_000 },
    operationMs: 20_000,
    callsMs: 30_000,
    claim: async () => claim,
    async finish(finish) {
      written.push(finish);
      return 'settled';
    },
    async invalidate(id) {
      invalidated.push(id);
    },
    intend: intends(store),
    compile: compileTemplate,
    openDriver: async () => driver,
    currentSecret: async () => ({ json: '{"v":"1"}' }),
    ...changes,
  };
  return { parts, written, invalidated };
}

/** A call that ends when its signal aborts, as drivers' calls do. */
const hanging: Driver['put'] = async (_item, signal) => {
  await aborted(signal);
  throw new DestinationFailure('timeout', 'the operation was ended');
};

test('an attempt that a worker breaks off because it has to stop is no failure, and is gone on with', async () => {
  const stop = new AbortController();
  const { parts, written } = partsWith((item, signal) => {
    queueMicrotask(() => stop.abort());
    return hanging(item, signal);
  });
  const ended = await reconcile(parts, '1', stop.signal, 4);
  expect(ended).toEqual({ outcome: { kind: 'again', afterMs: 0 }, failure: undefined, calls: 1, denied: false });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', error: null, attempts: 0 }]);
});

test('an attempt during which the installation is sealed is no failure, and is gone on with', async () => {
  const { parts, written } = partsWith(hanging, {
    claim: async () => ({ ...claim, attempts: 2 }),
    currentSecret: () => Promise.reject(new AppError('sealed', 'the service is sealed')),
  });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended).toMatchObject({ outcome: { kind: 'again' }, failure: undefined, calls: 0 });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', error: null }]);
});

test('calls are ended when their time is over, and that is a failure of the destination', async () => {
  const { parts, written } = partsWith(hanging, { operationMs: 10, callsMs: 50 });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended).toMatchObject({ outcome: { kind: 'again' }, failure: { kind: 'timeout' }, calls: 1 });
  expect(written).toMatchObject([{ done: false, attempts: 1, error: { kind: 'timeout' } }]);
});

describe('time that only the wall clock shows, as after a sleep of the machine', () => {
  const json = '{"v":"1"}';

  /** An object that has the value already, so that it is looked at before it is put; the look takes so long. */
  async function afterLookOf(lookMs: number) {
    let wall = 0;
    const put = vi.fn<Driver['put']>(async (_item, own) => {
      own.throwIfAborted();
      return { remoteVersion: 'v2' };
    });
    const inspect: Driver['inspect'] = async (_name, own) => {
      wall += lookMs;
      if (own.aborted) throw new DestinationFailure('timeout', 'the operation was ended');
      return undefined;
    };
    const fingerprint = store.barrier.mac('fingerprint', JSON.stringify(['app', json, []]));
    const { parts, written } = partsWith(put, {
      clock: { now: () => new Date(wall) },
      claim: async () => ({ ...claim, objects: claim.objects.map((object) => ({ ...object, fingerprint })) }),
      currentSecret: async () => ({ json }),
      openDriver: async () => ({ put, inspect, remove: async () => {}, close: async () => {} }),
    });
    await reconcile(parts, '1', new AbortController().signal, 4);
    return { puts: put.mock.calls.length, written };
  }

  test('lets a put follow its look while there is some left', async () => {
    expect(await afterLookOf(19_999)).toMatchObject({ puts: 1, written: [{ done: true, status: 'SYNCED' }] });
  });

  test('ends the operation between a look and its put', async () => {
    expect(await afterLookOf(20_000)).toMatchObject({
      puts: 0,
      written: [{ done: false, status: 'PENDING', error: null }],
    });
  });

  test('ends a call that is asked whether it may go on', async () => {
    expect(await afterLookOf(30_000)).toMatchObject({ puts: 0, written: [{ done: false }] });
  });
});

test('an error that nobody foresaw is logged by its name and location; its message, which may hold a value, is not', async () => {
  const lines: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => void lines.push(fields) };
  const { parts, written } = partsWith(hanging, {
    log,
    currentSecret: () =>
      Promise.reject(new SyntaxError('unexpected token in {"password":\n    at hunter2 (hunter2:1:2)}')),
  });
  expect(await reconcile(parts, '1', new AbortController().signal, 4)).toMatchObject({ failure: { kind: 'internal' } });
  expect(lines).toMatchObject([{ association: '1', error: 'SyntaxError', at: expect.stringContaining('at ') }]);
  expect(JSON.stringify([lines, written])).not.toContain('hunter2');
});

test('a worker that has lost its claim after it called makes the association dirty again: something newer may be overwritten', async () => {
  const put: Driver['put'] = async () => ({ remoteVersion: 'v2' });
  const { parts, invalidated } = partsWith(put, { finish: async () => 'lost' });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended.outcome).toMatchObject({ kind: 'again' });
  expect(invalidated).toEqual(['1']);
});

test('a claim that is lost without a call leaves nothing to invalidate', async () => {
  const { parts, invalidated } = partsWith(hanging, {
    currentSecret: () => Promise.reject(new Error('away')),
    finish: async () => 'lost',
  });
  await reconcile(parts, '1', new AbortController().signal, 4);
  expect(invalidated).toEqual([]);
});

test('no more calls are in flight at once than the gate has allowed', async () => {
  let inFlight = 0;
  let most = 0;
  const put: Driver['put'] = async () => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight -= 1;
    return { remoteVersion: null };
  };
  const data = JSON.stringify(Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v'])));
  const { parts } = partsWith(put, {
    claim: async () => ({ ...claim, granularity: 'secret-key', template: '{{ .SecretKey }}', objects: [] }),
    intend: async ({ names }) =>
      new Map(
        names.map(({ nameKey }) => [nameKey, { nameKey, intendedAt: new Date(), takenBy: null, freeAfterMs: null }]),
      ),
    currentSecret: async () => ({ json: data }),
  });
  const ended = await reconcile(parts, '1', new AbortController().signal, 3);
  expect(ended).toMatchObject({ outcome: { kind: 'done' }, calls: 20 });
  expect(most).toBe(3);
});

test('what a remote says is cut and mended so that it can be stored', async () => {
  const message = `${'x'.repeat(1_023)}\u{1f600}`;
  const put: Driver['put'] = () => Promise.reject(new DestinationFailure('name', `a\0b ${message}`));
  const { parts, written } = partsWith(put);
  await reconcile(parts, '1', new AbortController().signal, 4);
  const stored = written[0]?.error?.message ?? '';
  expect(stored).toHaveLength(1_024);
  expect(stored.isWellFormed()).toBe(true);
  expect(stored).toContain('a\ufffdb');
});

const keyed: Claimed = { ...claim, granularity: 'secret-key', template: '{{ .SecretKey }}', objects: [] };

test('keys whose turn has not come are gone on with, also when another key cannot be pushed at all', async () => {
  const stop = new AbortController();
  const { parts, written } = partsWith(
    (item, signal) => {
      if (item.name === 'foreign')
        throw new DestinationFailure('conflict', 'somebody else has it', { untouched: true });
      queueMicrotask(() => stop.abort());
      return hanging(item, signal);
    },
    { claim: async () => keyed, intend: intended, currentSecret: async () => ({ json: '{"foreign":"1","own":"2"}' }) },
  );
  const ended = await reconcile(parts, '1', stop.signal, 1);
  expect(ended).toMatchObject({ outcome: { kind: 'again', afterMs: 0 }, failure: { kind: 'conflict' } });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', attempts: 1, error: { kind: 'conflict' } }]);
});

test('rounds that get nowhere come to an end', async () => {
  const { parts, written } = partsWith(hanging, {
    claim: async () => ({ ...keyed, attempts: 2 }),
    intend: intended,
    operationMs: 0,
    definition: { ...definition, valueBytesMax: 1 },
    currentSecret: async () => ({ json: '{"large":"12","own":"2"}' }),
  });
  expect(await reconcile(parts, '1', new AbortController().signal, 1)).toMatchObject({ outcome: { kind: 'done' } });
  expect(written).toMatchObject([{ done: true, status: 'CLIENT_SIDE_ERROR', attempts: 3 }]);
});

test('an attempt that got some keys there is the first one of those that fail in a row', async () => {
  const { parts, written } = partsWith(
    async ({ name }) => {
      if (name === 'b') throw new DestinationFailure('throttled', 'later');
      return { remoteVersion: 'v1' };
    },
    {
      claim: async () => ({ ...keyed, attempts: 2 }),
      intend: intended,
      currentSecret: async () => ({ json: '{"a":"1","b":"2"}' }),
    },
  );
  expect(await reconcile(parts, '1', new AbortController().signal, 1)).toMatchObject({ outcome: { kind: 'again' } });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', attempts: 1 }]);
});

/** Every name is free. */
const intended: ReconcileParts['intend'] = async ({ names }) =>
  new Map(
    names.map(({ nameKey }) => [nameKey, { nameKey, intendedAt: new Date(0), takenBy: null, freeAfterMs: null }]),
  );

test('a driver gets the time of the intent on the clock of its worker, whatever the clock of the database says', async () => {
  const intendedAt: Date[] = [];
  const { parts } = partsWith(
    async (item) => {
      intendedAt.push(item.intendedAt);
      return { remoteVersion: 'v1' };
    },
    { claim: async () => ({ ...claim, storeAheadMs: 60_000 }) },
  );
  await reconcile(parts, '1', new AbortController().signal, 1);
  expect(intendedAt).toEqual([new Date('2025-12-31T23:59:00Z')]);
});

describe('the pass of a job', () => {
  function passing(put: Driver['put'], changes: Partial<ReconcileParts>) {
    const left: unknown[] = [];
    const pass = {
      admitted: true as const,
      callsAtOnce: 4,
      leave: async (...verdict: readonly unknown[]) => void left.push(verdict),
    };
    const { parts } = partsWith(put, changes);
    const handler = syncHandler(parts, { enter: async () => pass }, async (id) => id);
    const job = { id: '1', destinationId: '1', job: '1', traceparent: undefined, exhausted: false };
    return { left, done: handler(job, new AbortController().signal) };
  }

  test('is given back once no further call is made, while the outcome is still being written', async () => {
    const written = Promise.withResolvers<'settled'>();
    const { left, done } = passing(async () => ({ remoteVersion: null }), { finish: () => written.promise });
    await vi.waitFor(() => expect(left).toEqual([['well', undefined, 1]]), patience.conditionMs);
    written.resolve('settled');
    expect(await done).toMatchObject({ kind: 'done' });
    expect(left).toHaveLength(1);
  });

  test.each(['credentials', 'permission'] as const)(
    'is given back without a call for the account when all is refused for %s',
    async (kind) => {
      const { left, done } = passing(() => Promise.reject(new DestinationFailure(kind, 'refused')), {});
      await done;
      expect(left).toEqual([['well', undefined, 1, 0]]);
    },
  );

  test('is given back once when the outcome cannot be written, or nothing can be claimed', async () => {
    const away = new Error('the database is away');
    const failing = passing(hanging, { callsMs: 10, finish: () => Promise.reject(away) });
    await expect(failing.done).rejects.toThrow(away);
    expect(failing.left).toEqual([['sick', undefined, 1]]);
    const unclaimable = passing(hanging, { claim: () => Promise.reject(away) });
    await expect(unclaimable.done).rejects.toThrow(away);
    expect(unclaimable.left).toEqual([['well', undefined, 0]]);
    const clean = passing(hanging, { claim: async () => ({ kind: 'clean', generation: 2 }) });
    expect(await clean.done).toMatchObject({ kind: 'done' });
    expect(clean.left).toEqual([['well', undefined, 0]]);
  });
});
