import { expect, test } from 'vitest';
import type { KeptAction } from '#sync/model/kept-action.ts';
import { deviations } from '#sync/reconcile/bound/deviations.ts';
import type { Planned } from '#sync/reconcile/plan/planned.ts';

const kept = (action: KeptAction['action'], version: string | null = null, name = 'app'): KeptAction => ({
  name,
  action,
  version,
  looked: true,
});

const now = (action: Planned['action'], reason: Planned['reason'], version: string | null = null): Planned => ({
  id: '1',
  mount: 'secret',
  secret_name: 'app',
  sub_key: '',
  external_name: 'app',
  action,
  reason,
  looked: true,
  version,
});

const cases: readonly [string, readonly KeptAction[], readonly Planned[], readonly unknown[]][] = [
  ['the same', [kept('update', '1')], [now('update', 'changed', '1')], []],
  ['nothing left to do', [kept('update', '1')], [now('leave', 'in-line', '2')], []],
  ['another version', [kept('update', '1')], [now('update', 'changed', '2')], ['"app": it was changed there']],
  [
    'another action',
    [kept('update', '1')],
    [now('create', 'missing')],
    ['"app": planned update, now create (missing)'],
  ],
  ['a refusal', [kept('create')], [now('refuse', 'foreign', '1')], ['"app": planned create, now refuse (foreign)']],
  ['an object that was not planned', [], [now('update', 'changed', '1')], ['"app": not planned, now update (changed)']],
  [
    'an object with nothing left to do beside another',
    [kept('update'), kept('delete', null, 'old')],
    [now('update', 'changed')],
    ['"old": planned delete, now nothing to do'],
  ],
];

test.each(cases)('%s', (_name, planned, found, expected) => {
  expect(deviations({}, planned, found, true)).toEqual(expected);
});

test('a later attempt may meet what an earlier one did', () => {
  expect(deviations({}, [kept('create'), kept('delete', '1', 'old')], [now('update', 'changed', '1')], false)).toEqual(
    [],
  );
  expect(deviations({}, [kept('update', '1')], [now('create', 'missing')], false)).toHaveLength(1);
});

test('an object that could not be looked at has no version to compare', () => {
  const unseen = { ...now('update', 'changed'), looked: false };
  expect(deviations({}, [kept('update', '1')], [unseen], true)).toEqual([]);
});
