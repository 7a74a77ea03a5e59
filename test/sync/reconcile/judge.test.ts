import { expect, test } from 'vitest';
import { Secret } from '#core/secret.ts';
import type { Inspection } from '#destinations/contract.ts';
import type { Written } from '#sync/model/written.ts';
import { judgePut, judgeRemoval } from '#sync/reconcile/plan/judge.ts';
import type { Put } from '#sync/reconcile/plan/plan.ts';

const mark = 'a'.repeat(32);
const written: Written = {
  subKey: '',
  name: 'app',
  nameKey: 'app',
  mark,
  intendedAt: new Date(),
  written: true,
  seenMsAgo: 1,
  remoteVersion: '1',
  fingerprint: Buffer.from('f'),
  tagKeys: [],
  removal: 'none',
};
const put = (changes: Partial<Put> = {}): Put => ({
  subKey: '',
  name: 'app',
  nameKey: 'app',
  value: new Secret('v'),
  mode: 'update',
  fingerprint: Buffer.from('f'),
  staleTags: [],
  before: written,
  verify: true,
  asRecorded: false,
  ...changes,
});
const fresh = put({ before: undefined, mode: 'create', verify: false });
const there: Inspection = { remoteVersion: '1', mark, tags: { team: 'a' } };
const foreign: Inspection = { remoteVersion: '7', mark: null };

test.each([
  [put(), there, 'leave in-line'],
  [put(), undefined, 'create missing'],
  [fresh, undefined, 'create new'],
  [fresh, there, 'update changed'],
  [put({ verify: false }), there, 'update changed'],
  [put(), { ...there, remoteVersion: '2' }, 'update changed-there'],
  [put(), { ...there, differs: true }, 'update settings'],
  [put(), { ...there, tags: {} }, 'update tags'],
  [put({ staleTags: ['old'] }), { ...there, tags: { team: 'a', old: 'b' } }, 'update tags'],
  [put(), { ...there, mark: null }, 'update tags'],
  [put(), foreign, 'refuse foreign'],
  [fresh, foreign, 'refuse foreign'],
  [put({ mode: 'adopt' }), foreign, 'update adopted'],
  [put(), 'unknown', 'leave in-line'],
  [put({ verify: false }), 'unlooked', 'update changed'],
  [fresh, 'unknown', 'create new'],
] as const)('a put is judged by what a look found (%#)', (one, seen, expected) => {
  const { action, reason } = judgePut({}, one, mark, { team: 'a' }, seen);
  expect(`${action} ${reason}`).toBe(expected);
});

test('a system without marks leaves it to the record', () => {
  const unmarked = { ...there, mark: null, remoteVersion: '9' };
  expect(judgePut({ markless: true }, put(), mark, {}, unmarked).reason).toBe('changed-there');
  expect(judgePut({ markless: true }, fresh, mark, {}, unmarked).reason).toBe('foreign');
  expect(judgeRemoval({ markless: true }, written, unmarked)?.action).toBe('delete');
});

test.each([
  [written, there, 'delete not-wanted'],
  [written, 'unknown', 'delete not-wanted'],
  [written, foreign, 'leave foreign'],
  [written, undefined, 'leave already-gone'],
] as const)('a removal is judged by what a look found (%#)', (object, seen, expected) => {
  const { action, reason } = judgeRemoval({}, object, seen) ?? {};
  expect(`${action} ${reason}`).toBe(expected);
});

test('an object that was never written and is not there is not mentioned', () => {
  expect(judgeRemoval({}, { ...written, written: false }, undefined)).toBeUndefined();
});
