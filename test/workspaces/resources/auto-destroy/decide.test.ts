import { expect, test } from 'vitest';
import {
  activityDuration,
  decide,
  destroyAt,
  type Ephemeral,
  type Reminded,
} from '#workspaces/resources/auto-destroy/decide.ts';

const now = new Date('2030-01-10T00:00:00Z');
const inHours = (hours: number): Date => new Date(now.getTime() + hours * 3_600_000);
const unseen: Reminded = { destroyAt: null, hours: null };
const workspace = (changes: Partial<Ephemeral> = {}): Ephemeral => ({
  at: undefined,
  duration: null,
  lastActivity: now,
  hasResources: true,
  ...changes,
});

test.each([
  ['nothing is chosen', {}, null],
  ['a time is chosen', { at: inHours(3), duration: '1h' }, 3],
  ['a duration of hours', { duration: '8h', lastActivity: inHours(-2) }, 6],
  ['a duration of days', { duration: '14d' }, 336],
  ['there is nothing to destroy', { duration: '1h', hasResources: false }, null],
])('the destruction is scheduled when %s', (_what, changes, hours) => {
  expect(destroyAt(workspace(changes))).toEqual(hours === null ? null : inHours(hours));
});

test.each([
  ['far away', 48, unseen, { hours: undefined, seen: null, lookAt: 24 }],
  ['seen first between the reminders', 20, unseen, { hours: undefined, seen: 24, lookAt: 8 }],
  ['seen first after the reminders', 2, unseen, { hours: undefined, seen: 12, lookAt: 2 }],
  ['due for the first reminder', 24, { destroyAt: inHours(24), hours: null }, { hours: 24, seen: 24, lookAt: 12 }],
  ['reminded already', 23, { destroyAt: inHours(23), hours: 24 }, { hours: undefined, seen: 24, lookAt: 11 }],
  ['due for the second reminder', 12, { destroyAt: inHours(12), hours: 24 }, { hours: 12, seen: 12, lookAt: 12 }],
  ['late for both', 11, { destroyAt: inHours(11), hours: null }, { hours: 12, seen: 12, lookAt: 11 }],
  ['moved by activity', 30, { destroyAt: inHours(4), hours: 12 }, { hours: undefined, seen: null, lookAt: 6 }],
])('a destruction that is %s is waited for', (_what, hours, before, expected) => {
  expect(decide(workspace({ at: inHours(hours) }), before, now)).toEqual({
    kind: 'wait',
    hours: expected.hours,
    seen: { destroyAt: inHours(hours), hours: expected.seen },
    lookAt: inHours(expected.lookAt),
  });
});

test('what is due is destroyed, and a workspace without resources is looked at in time for its first reminder', () => {
  expect(decide(workspace({ at: now }), unseen, now)).toEqual({ kind: 'destroy' });
  const empty = (duration: string) => decide(workspace({ duration, hasResources: false }), unseen, now);
  expect(empty('4d')).toMatchObject({ kind: 'wait', lookAt: inHours(72) });
  expect(empty('6h')).toMatchObject({ kind: 'wait', lookAt: inHours(3) });
  expect(decide(workspace(), unseen, now)).toMatchObject({ kind: 'wait', lookAt: null });
});

test.each([
  ['its own', '2h', true, '9d', { duration: '2h', inherits: false }],
  ['that of the project', null, true, '9d', { duration: '9d', inherits: true }],
  ['none, since it does not inherit', null, false, '9d', { duration: null, inherits: false }],
  ['none', null, true, null, { duration: null, inherits: false }],
])('the duration of a workspace is %s', (_what, own, inherits, ofProject, expected) => {
  const settings = { 'auto-destroy-activity-duration': own, 'inherits-project-auto-destroy': inherits };
  expect(activityDuration(settings, ofProject)).toEqual(expected);
});
