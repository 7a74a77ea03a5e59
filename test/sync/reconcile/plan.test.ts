import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Secret } from '#core/secret.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { unfit } from '#destinations/frame/rules/fit.ts';
import type { Written } from '#sync/model/written.ts';
import { toEntries } from '#sync/reconcile/plan/entries.ts';
import { type PlanInput, plan } from '#sync/reconcile/plan/plan.ts';

const fingerprint = (name: string, value: Secret) => createHash('sha256').update(`${name}=${value.reveal()}`).digest();

function written(name: string, value: string, subKey = ''): Written {
  return {
    subKey,
    name,
    nameKey: name.toLowerCase(),
    mark: 'm'.repeat(32),
    intendedAt: new Date(0),
    written: true,
    seenMsAgo: 3_600_001,
    remoteVersion: 'v1',
    fingerprint: createHash('sha256').update(`${name}=${value}`).digest(),
    tagKeys: ['team'],
    removal: 'none',
  };
}

function input(
  json: string | undefined,
  granularity: 'secret-path' | 'secret-key',
  over: Partial<PlanInput> = {},
): PlanInput {
  return {
    entries: json === undefined ? [] : toEntries(json, granularity),
    written: [],
    tags: { team: 'a' },
    adopt: false,
    forced: false,
    verify: false,
    removeAgain: false,
    confirmed: new Set(),
    unfit: (put) => unfit({ ...definition, valueBytesMax: 100 }, put),
    name: (subKey) => ({ ok: true, name: subKey === '' ? 'Whole' : `Key-${subKey}` }),
    nameKey: (name) => name.toLowerCase(),
    fingerprint,
    ...over,
  };
}

test('the objects of a new secret are created', () => {
  const { puts, removes } = plan(input('{"a":"1"}', 'secret-path'));
  expect(puts).toMatchObject([{ name: 'Whole', mode: 'create', verify: false }]);
  expect(removes).toEqual([]);
});

test('an object with the right fingerprint is only inspected, unless the push is forced', () => {
  const there = [written('Whole', '{"a":"1"}')];
  expect(plan(input('{"a":"1"}', 'secret-path', { written: there })).puts).toMatchObject([
    { mode: 'update', verify: true },
  ]);
  expect(plan(input('{"a":"1"}', 'secret-path', { written: there, forced: true })).puts).toMatchObject([
    { verify: false },
  ]);
  expect(plan(input('{"a":"2"}', 'secret-path', { written: there })).puts).toMatchObject([{ verify: false }]);
});

test('nine unchanged keys of ten are inspected only when the last look is an hour old or a look is requested', () => {
  const keys = Array.from({ length: 10 }, (_, index) => `${index}`);
  const json = JSON.stringify(Object.fromEntries(keys.map((key) => [key, key === '3' ? 'new' : 'v'])));
  const seen = (seenMsAgo: number) => keys.map((key) => ({ ...written(`Key-${key}`, 'v', key), seenMsAgo }));
  const counts = (over: Partial<PlanInput>) => {
    const { puts, kept } = plan(input(json, 'secret-key', over));
    const looks = puts.filter(({ verify }) => verify);
    return { kept: kept.length, looks: looks.length, puts: puts.length - looks.length };
  };
  expect(counts({ written: seen(3_599_999) })).toEqual({ kept: 9, looks: 0, puts: 1 });
  expect(counts({ written: seen(3_600_000) })).toEqual({ kept: 0, looks: 9, puts: 1 });
  expect(counts({ written: seen(-1) })).toEqual({ kept: 0, looks: 9, puts: 1 });
  expect(counts({ written: seen(0), verify: true })).toEqual({ kept: 0, looks: 9, puts: 1 });
  expect(counts({ written: seen(0), forced: true })).toEqual({ kept: 0, looks: 0, puts: 10 });
});

test('a record is certain when a put was never begun, or was written without a failure since', () => {
  const sure = (before: readonly Written[], over: Partial<PlanInput> = {}) =>
    plan(input('{"a":"2"}', 'secret-path', { written: before, ...over })).puts.map(({ asRecorded }) => asRecorded);
  const there = written('Whole', '{"a":"1"}');
  expect(sure([])).toEqual([true]);
  expect(sure([], { adopt: true })).toEqual([false]);
  expect(sure([there])).toEqual([true]);
  expect(sure([there], { adopt: true })).toEqual([true]);
  expect(sure([there], { forced: true })).toEqual([false]);
  expect(sure([there], { verify: true })).toEqual([false]);
  expect(sure([{ ...there, fingerprint: null }])).toEqual([false]);
  expect(sure([{ ...there, written: false, fingerprint: null }])).toEqual([false]);
});

test('an object that we may have written is created again, which recognizes our mark', () => {
  const maybe = [{ ...written('Whole', ''), written: false, fingerprint: null }];
  expect(plan(input('{}', 'secret-path', { written: maybe })).puts).toMatchObject([{ mode: 'create', verify: false }]);
});

test('the object of a removed key is removed, the others stay', () => {
  const there = [written('Key-a', '1', 'a'), written('Key-b', '2', 'b')];
  const { puts, removes } = plan(input('{"a":"1"}', 'secret-key', { written: there }));
  expect(puts.map((put) => put.name)).toEqual(['Key-a']);
  expect(removes.map((object) => object.name)).toEqual(['Key-b']);
});

test('the objects of a deleted secret are removed', () => {
  expect(plan(input(undefined, 'secret-path', { written: [written('Whole', 'x')] })).removes).toHaveLength(1);
});

test('a new name is written and the old one removed', () => {
  const { puts, removes } = plan(input('{}', 'secret-path', { written: [written('Old', '{}')] }));
  expect(puts).toMatchObject([{ name: 'Whole', mode: 'create' }]);
  expect(removes).toMatchObject([{ name: 'Old' }]);
});

test('keys that get the same name at the remote are all refused, and none is written', () => {
  const { puts, refusals } = plan(input('{"A":"1","a":"2","b":"3"}', 'secret-key'));
  expect(puts.map((put) => put.subKey)).toEqual(['b']);
  expect(refusals.map(({ subKey, kind }) => [subKey, kind])).toEqual([
    ['A', 'conflict'],
    ['a', 'conflict'],
  ]);
  expect(refusals[0]?.message).toContain('"a"');
});

test('a key whose name is refused keeps its existing object', () => {
  const name = () => ({ ok: false, problem: 'too long' }) as const;
  const { puts, removes, refusals } = plan(
    input('{"a":"1"}', 'secret-key', { written: [written('Old', '1', 'a')], name }),
  );
  expect([puts, removes]).toEqual([[], []]);
  expect(refusals).toMatchObject([{ subKey: 'a', kind: 'name', message: 'too long' }]);
});

test('a value over the limit of the destination is refused with both sizes and without the value', () => {
  const { refusals } = plan(input(JSON.stringify({ a: 'x'.repeat(200) }), 'secret-key'));
  expect(refusals[0]).toMatchObject({ kind: 'too-large' });
  expect(refusals[0]?.message).toMatch(/200 bytes.*at most 100/);
  expect(refusals[0]?.message).not.toContain('xxx');
});

test('tags that are no longer wanted are listed for removal', () => {
  const there = [written('Whole', '{}')];
  expect(plan(input('{}', 'secret-path', { written: there, tags: {} })).puts[0]?.staleTags).toEqual(['team']);
});

test.each([
  ['{"a":"text"}', 'text'],
  ['{"a":""}', ''],
  ['{"a":12345678901234567890}', '12345678901234567890'],
  ['{"a":1.0}', '1.0'],
  ['{"a":true}', 'true'],
  ['{"a":null}', 'null'],
  ['{"a":{"b":[1,"x"]}}', '{"b":[1,"x"]}'],
])('with granularity secret-key %s becomes the value %s', (json, value) => {
  expect(toEntries(json, 'secret-key').map((entry) => entry.value.reveal())).toEqual([value]);
});
