import { describe, expect, test } from 'vitest';
import { type CheckedPermission, DestinationFailure, type FailureKind } from '#destinations/contract.ts';
import type { DialEvent } from '#network/trace.ts';
import { type Findings, reportFrom } from '#sync/ask/check/steps.ts';

const target = { host: 'api.example', port: 443 };
const reached: readonly DialEvent[] = (['name_resolution', 'address', 'connection', 'tls'] as const).map((step) => ({
  ...target,
  step,
}));
const passed: CheckedPermission = { permission: 'secrets.get', outcome: 'passed' };
const untested: CheckedPermission = { permission: 'secrets.set', outcome: 'not_testable', reason: 'only by writing' };
const failing = (kind: FailureKind): CheckedPermission => ({
  permission: 'secrets.get',
  outcome: 'failed',
  failure: new DestinationFailure(kind, `it failed as ${kind}`),
});
const inTime = { target: 'api.example:443', aheadSeconds: 1 };
const good: Findings = { events: reached, checked: [passed, untested], clock: inTime };

const outcomesOf = (changes: Partial<Findings>) => {
  const { passed: whole, steps } = reportFrom({ ...good, ...changes });
  return { whole, ...Object.fromEntries(steps.map((one) => [one.permission ?? one.step, one.outcome])) };
};

test('a check in which no step failed has passed, although some could not be tested', () => {
  expect(outcomesOf({})).toEqual({
    whole: true,
    name_resolution: 'passed',
    address: 'passed',
    connection: 'passed',
    tls: 'passed',
    login: 'passed',
    'secrets.get': 'passed',
    'secrets.set': 'not_testable',
    clock: 'passed',
  });
});

describe('the first step that fails makes the later ones untestable', () => {
  test.each([
    ['name_resolution', ['address', 'connection', 'tls']],
    ['address', ['connection', 'tls']],
    ['connection', ['tls']],
    ['tls', []],
  ] as const)('%s', (step, later) => {
    const at = reached.findIndex((event) => event.step === step);
    const events = [...reached.slice(0, at), { ...target, step, failure: 'ECODE' }];
    const outcomes = outcomesOf({ events, checked: [failing('network'), untested], clock: undefined });
    expect(outcomes).toMatchObject({ whole: false, [step]: 'failed', login: 'not_testable', clock: 'not_testable' });
    for (const one of later) expect(outcomes).toMatchObject({ [one]: 'not_testable' });
  });
});

test.each(['credentials', 'timeout', 'throttled', 'unavailable', 'invalid', 'internal'] as const)(
  'a first call that fails as %s is a failed login, with a remedy',
  (kind) => {
    const { steps } = reportFrom({ ...good, checked: [failing(kind), untested] });
    expect(steps.find(({ step }) => step === 'login')).toMatchObject({
      outcome: 'failed',
      cause: `it failed as ${kind}`,
      remedy: expect.stringMatching(/.+/),
    });
    expect(steps.find(({ permission }) => permission === 'secrets.get')?.outcome).toBe('not_testable');
  },
);

test.each(['permission', 'missing'] as const)('a call refused as %s shows that the login worked', (kind) => {
  expect(outcomesOf({ checked: [failing(kind), untested] })).toMatchObject({
    whole: false,
    login: 'passed',
    'secrets.get': 'failed',
  });
});

test('a driver that cannot be opened is a failed login', () => {
  const checked = new DestinationFailure('invalid', 'the key cannot be read');
  const { steps } = reportFrom({ ...good, checked });
  expect(steps.find(({ step }) => step === 'login')).toMatchObject({ outcome: 'failed', cause: checked.message });
});

test('each system that was dialled has its own steps, and an address that is no name needs no look-up', () => {
  const login: readonly DialEvent[] = [
    { host: '192.0.2.1', port: 80, step: 'address' },
    { host: '192.0.2.1', port: 80, step: 'connection' },
  ];
  const { steps } = reportFrom({ ...good, events: [...login, ...reached] });
  const own = steps.filter((one) => one.target === '192.0.2.1:80');
  expect(own.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'name_resolution not_testable',
    'address passed',
    'connection passed',
    'tls not_testable',
  ]);
});

test.each([
  [60, 'passed'],
  [-60, 'passed'],
  [61, 'failed'],
  [-61, 'failed'],
] as const)('a clock that is %s s ahead has %s', (aheadSeconds, outcome) => {
  expect(outcomesOf({ clock: { target: 'api.example:443', aheadSeconds } })).toMatchObject({ clock: outcome });
});
