import { beforeAll, describe, expect, test, vi } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { AppError } from '#core/errors.ts';
import { type Log, silentLog } from '#core/log/log.ts';
import { rootNamespace } from '#core/namespace.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { DestinationFailure, type Driver } from '#destinations/contract.ts';
import type { OpenStore } from '#store/open.ts';
import type { Claimed } from '#sync/claim/claim.ts';
import { intends } from '#sync/claim/intents.ts';
import type { Finish } from '#sync/model/finish.ts';
import { type ReconcileParts, reconcile } from '#sync/reconcile/reconcile.ts';
import { syncHandler } from '#sync/reconcile/worker.ts';
import { compileTemplate } from '#sync/template/template.ts';
import { testStore } from '../../store/stores.ts';
import { aborted } from '../../support/measures/aborted.ts';
import { patience } from '../../support/measures/patience.ts';

let store: OpenStore;
beforeAll(async () => {
  store = await testStore();
  return () => store.close();
});

/** A secret whose object we wrote earlier with another value. */
const claim: Claimed = {
  kind: 'claimed',
  token: 't',
  id: '1',
  destinationId: '1',
  destinationRevision: 1,
  destinationName: 'x',
  namespaceId: rootNamespace.id,
  namespacePath: '',
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
  planned: false,
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

/** Verbs that these tests do not use. */
const others = { check: async () => [], close: async () => {} };

function partsWith(put: Driver['put'], changes: Partial<ReconcileParts> = {}) {
  const written: Finish[] = [];
  const invalidated: string[] = [];
  const driver: Driver = { put, remove: async () => {}, inspect: async () => undefined, ...others };
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
  throw new DestinationFailure('timeout', 'the operation was aborted');
};

test('an attempt that its worker aborts because it has to stop is not a failure, and is continued', async () => {
  const stop = new AbortController();
  const { parts, written } = partsWith((item, signal) => {
    queueMicrotask(() => stop.abort());
    return hanging(item, signal);
  });
  const ended = await reconcile(parts, '1', stop.signal, 4);
  expect(ended).toEqual({ outcome: { kind: 'again', afterMs: 0 }, failure: undefined, calls: 1, denied: false });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', error: null, attempts: 0 }]);
});

test('an attempt during which the installation is sealed is not a failure, and is continued', async () => {
  const { parts, written } = partsWith(hanging, {
    claim: async () => ({ ...claim, attempts: 2 }),
    currentSecret: () => Promise.reject(new AppError('sealed', 'the service is sealed')),
  });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended).toMatchObject({ outcome: { kind: 'again' }, failure: undefined, calls: 0 });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', error: null }]);
});

test('calls are aborted when their time is over, which counts as a failure of the destination', async () => {
  // A busy machine needs some time before the call begins.
  const { parts, written } = partsWith(hanging, { operationMs: 900, callsMs: 1_000 });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended).toMatchObject({ outcome: { kind: 'again' }, failure: { kind: 'timeout' }, calls: 1 });
  expect(written).toMatchObject([{ done: false, attempts: 1, error: { kind: 'timeout' } }]);
});

describe('time that only the wall clock shows, as after the machine slept', () => {
  const json = '{"v":"1"}';

  /** Reconciles an object that already has the value, so that it is inspected before it is put. The look takes `lookMs`. */
  async function afterLookOf(lookMs: number) {
    let wall = 0;
    const put = vi.fn<Driver['put']>(async (_item, own) => {
      own.throwIfAborted();
      return { remoteVersion: 'v2' };
    });
    const inspect: Driver['inspect'] = async (_name, own) => {
      wall += lookMs;
      if (own.aborted) throw new DestinationFailure('timeout', 'the operation was aborted');
      return undefined;
    };
    const fingerprint = store.barrier.mac('fingerprint', JSON.stringify(['app', json, []]));
    const { parts, written } = partsWith(put, {
      clock: { now: () => new Date(wall) },
      claim: async () => ({ ...claim, objects: claim.objects.map((object) => ({ ...object, fingerprint })) }),
      currentSecret: async () => ({ json }),
      openDriver: async () => ({ put, inspect, remove: async () => {}, ...others }),
    });
    await reconcile(parts, '1', new AbortController().signal, 4);
    return { puts: put.mock.calls.length, written };
  }

  test('allows the put after a look while time is left', async () => {
    expect(await afterLookOf(19_999)).toMatchObject({ puts: 1, written: [{ done: true, status: 'SYNCED' }] });
  });

  test('ends the operation between the look and the put', async () => {
    expect(await afterLookOf(20_000)).toMatchObject({
      puts: 0,
      written: [{ done: false, status: 'PENDING', error: null }],
    });
  });

  test('aborts a call that checks its signal', async () => {
    expect(await afterLookOf(30_000)).toMatchObject({ puts: 0, written: [{ done: false }] });
  });
});

test('an unexpected error is logged by its name and location, without its message, which may hold a value', async () => {
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

test('losing the claim after a call makes the association dirty again, since something newer may be overwritten', async () => {
  const put: Driver['put'] = async () => ({ remoteVersion: 'v2' });
  const { parts, invalidated } = partsWith(put, { finish: async () => 'lost' });
  const ended = await reconcile(parts, '1', new AbortController().signal, 4);
  expect(ended.outcome).toMatchObject({ kind: 'again' });
  expect(invalidated).toEqual(['1']);
});

test('losing the claim without a call invalidates nothing', async () => {
  const { parts, invalidated } = partsWith(hanging, {
    currentSecret: () => Promise.reject(new Error('away')),
    finish: async () => 'lost',
  });
  await reconcile(parts, '1', new AbortController().signal, 4);
  expect(invalidated).toEqual([]);
});

test('no more calls are in flight at once than the gate allows', async () => {
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

test('the message of a remote is truncated and cleaned so that it can be stored', async () => {
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

test('skipped keys are continued, even if another key can never be pushed', async () => {
  const stop = new AbortController();
  const { parts, written } = partsWith(
    (item, signal) => {
      if (item.name === 'foreign')
        throw new DestinationFailure('conflict', 'another client has it', { untouched: true });
      queueMicrotask(() => stop.abort());
      return hanging(item, signal);
    },
    { claim: async () => keyed, intend: intended, currentSecret: async () => ({ json: '{"foreign":"1","own":"2"}' }) },
  );
  const ended = await reconcile(parts, '1', stop.signal, 1);
  expect(ended).toMatchObject({ outcome: { kind: 'again', afterMs: 0 }, failure: { kind: 'conflict' } });
  expect(written).toMatchObject([{ done: false, status: 'PENDING', attempts: 1, error: { kind: 'conflict' } }]);
});

test('attempts without progress end after the maximum number', async () => {
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

test('a failed attempt that made progress counts as the first failure', async () => {
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

/** Answers that every name is free. */
const intended: ReconcileParts['intend'] = async ({ names }) =>
  new Map(
    names.map(({ nameKey }) => [nameKey, { nameKey, intendedAt: new Date(0), takenBy: null, freeAfterMs: null }]),
  );

test('a driver gets the time of the intent on the clock of its worker, even if the clock of the database differs', async () => {
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

  test('is returned after the last call, while the outcome is still being stored', async () => {
    const written = Promise.withResolvers<'settled'>();
    const { left, done } = passing(async () => ({ remoteVersion: null }), { finish: () => written.promise });
    await vi.waitFor(() => expect(left).toEqual([['well', undefined, 1]]), patience.conditionMs);
    written.resolve('settled');
    expect(await done).toMatchObject({ kind: 'done' });
    expect(left).toHaveLength(1);
  });

  test.each(['credentials', 'permission'] as const)(
    'is returned without counting calls against the account when every call is refused for %s',
    async (kind) => {
      const { left, done } = passing(() => Promise.reject(new DestinationFailure(kind, 'refused')), {});
      await done;
      expect(left).toEqual([['well', undefined, 1, 0]]);
    },
  );

  test('is returned exactly once when the outcome cannot be stored or nothing can be claimed', async () => {
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
