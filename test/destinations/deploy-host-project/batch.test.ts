import { expect, test } from 'vitest';
import { failureOf, item, never, open, start } from './setup.ts';

const many = (count: number, value: string, change = {}) =>
  Array.from({ length: count }, (_, index) => item(`NAME_${index}`, `${value}${index}`, change));

test('several puts are one listing and one call for 50', async () => {
  const fake = await start();
  const driver = open(fake);
  const made = await driver.putMany?.(many(60, 'a'), never);
  expect(made?.every(({ ok }) => ok)).toBe(true);
  expect(Object.fromEntries(fake.calls())).toEqual({ filterProjectEnvs: 1, createProjectEnv: 2 });
  await driver.putMany?.(many(60, 'b', { mode: 'update' }), never);
  expect(fake.objects().get('NAME_59')?.value).toBe('b59');
  expect(Object.fromEntries(fake.calls())).toEqual({ filterProjectEnvs: 2, createProjectEnv: 4 });
});

test('each item has its own outcome, in order', async () => {
  const fake = await start();
  fake.seed('TAKEN', 'theirs');
  const items = [
    item('GOOD', 'v'),
    item('TAKEN', 'v'),
    item('TZ', 'v'),
    item('LARGE', 'x'.repeat(65_537)),
    item('LAST', 'v'),
  ];
  const outcomes = await open(fake).putMany?.(items, never);
  expect(outcomes?.map((outcome) => (outcome.ok ? 'ok' : outcome.failure.kind))).toEqual([
    'ok',
    'conflict',
    'name',
    'too-large',
    'ok',
  ]);
  expect(fake.objects().get('TAKEN')?.value).toBe('theirs');
});

test('a variable that the service refuses among others is reported by name', async () => {
  const fake = await start();
  const items = [item('FIRST', 'x'.repeat(40_000)), item('SECOND', 'x'.repeat(40_000)), item('THIRD', 'small')];
  const outcomes = await open(fake).putMany?.(items, never);
  expect(outcomes).toMatchObject([
    { ok: true },
    { ok: false, failure: { kind: 'quota', message: expect.stringContaining('cannot write secret SECOND: ') } },
    { ok: true },
  ]);
});

test('a variable that was refused among others is untouched, unless another one was removed for it first', async () => {
  const fake = await start();
  fake.add({ key: 'WIDE', value: 'theirs', target: ['production', 'preview', 'development'] });
  const items = [item('FITS', 'v'), item('SECOND', 'x'.repeat(65_530)), item('WIDE', 'x'.repeat(65_530))];
  const outcomes = await open(fake).putMany?.(
    items.map((one) => ({ ...one, mode: 'adopt' as const })),
    never,
  );
  expect(outcomes).toMatchObject([
    { ok: true },
    { ok: false, failure: { kind: 'quota', untouched: true } },
    { ok: false, failure: { kind: 'quota', untouched: false } },
  ]);
});

test('when all of several are refused, each is sent again for its own reason', async () => {
  const fake = await start();
  fake.seed('FULL', 'x'.repeat(65_000));
  const outcomes = await open(fake).putMany?.([item('A', 'x'.repeat(600)), item('B', 'x'.repeat(600))], never);
  expect(outcomes?.map((outcome) => (outcome.ok ? 'ok' : outcome.failure.kind))).toEqual(['quota', 'quota']);
  expect(fake.calls().get('createProjectEnv')).toBe(3);
});

test('a throttled call ends the batch, and nothing is thrown for one item', async () => {
  const fake = await start();
  const driver = open(fake);
  fake.fail({ kind: 'throttle', retryAfterSeconds: 7 });
  const outcomes = await driver.putMany?.(many(120, 'a'), never);
  expect(outcomes).toHaveLength(120);
  expect(outcomes?.every((outcome) => !outcome.ok && outcome.failure.retryAfterMs === 7000)).toBe(true);
  expect(Object.fromEntries(fake.calls())).toEqual({ filterProjectEnvs: 1 });
});

test('a batch whose answer was lost can be put again', async () => {
  const fake = await start();
  const driver = open(fake);
  fake.fail({ kind: 'lost-answer', times: 1 });
  const lost = await driver.putMany?.(many(3, 'a'), never);
  expect(lost?.map((outcome) => (outcome.ok ? 'ok' : outcome.failure.kind))).toEqual(['network', 'network', 'network']);
  expect(fake.objects().size).toBe(3);
  const again = await driver.putMany?.(many(3, 'a'), never);
  expect(again?.every(({ ok }) => ok)).toBe(true);
  expect(fake.variables()).toHaveLength(3);
});

test('without items no call is made', async () => {
  const fake = await start();
  expect(await open(fake).putMany?.([], never)).toEqual([]);
  expect(fake.calls().size).toBe(0);
});

test('a batch with an aborted signal makes no call', async () => {
  const fake = await start();
  const driver = open(fake);
  const outcomes = await driver.putMany?.(many(2, 'a'), AbortSignal.abort());
  expect(outcomes).toMatchObject([{ failure: { kind: 'timeout' } }, { failure: { kind: 'timeout' } }]);
  expect((await failureOf(driver.put(item('A', 'v'), AbortSignal.abort()))).kind).toBe('timeout');
  expect(fake.calls().size).toBe(0);
});
