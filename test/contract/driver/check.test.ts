import { describe, expect, test } from 'vitest';
import type { CheckedPermission, FailureKind } from '#destinations/contract.ts';
import type { Fault } from '#destinations/fake.ts';
import { definitions } from '#destinations/index.ts';
import { isCall } from '../support/asked.ts';
import type { Reaction } from '../support/between.ts';
import { partyFor } from '../support/party.ts';
import { calm, standFor } from '../support/stand.ts';

interface Case {
  readonly fault: Fault['kind'];
  readonly kind: FailureKind;
}

/** Failures after which the check makes no further call. */
const cases: readonly Case[] = [
  { fault: 'throttle', kind: 'throttled' },
  { fault: 'unavailable', kind: 'unavailable' },
  { fault: 'credentials', kind: 'credentials' },
  { fault: 'reset', kind: 'network' },
];

/** Answers of another server. */
const strangers: Readonly<Record<string, Reaction>> = {
  'an empty answer': (response) => response.end(),
  'an empty object': (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
  'a page of a portal': (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>'),
  'a redirect': (response) => response.writeHead(302, { location: 'https://portal.example/' }).end(),
};

const tested = (checked: readonly CheckedPermission[]) =>
  checked.filter(({ outcome }) => outcome !== 'not_testable').map(({ outcome }) => outcome);

describe.each(definitions)('a check of $type', (definition) => {
  const stand = standFor(definition);
  const party = partyFor(definition);
  const probe = () => stand.name('Probe');

  test('passes every permission that reading shows, and says why it did not test the others', async () => {
    const checked = await stand.open().check(probe(), calm);
    expect(tested(checked)).not.toEqual([]);
    expect(new Set(tested(checked))).toEqual(new Set(['passed']));
    const reasons = checked.flatMap((one) => (one.outcome === 'not_testable' ? [one.reason] : []));
    expect(new Set(reasons)).toEqual(new Set(['only writing would show whether it is granted']));
    expect(new Set(checked.map(({ permission }) => permission)).size).toBe(checked.length);
  });

  test('changes nothing', async () => {
    const driver = stand.open();
    await driver.put(stand.item(stand.name(), 'a value that stays'), calm);
    const before = new Map(stand.fake.objects());
    await driver.check(probe(), calm);
    expect(new Map(stand.fake.objects())).toEqual(before);
  });

  test('names the permission that is missing, and goes on with the next', async () => {
    stand.fake.fail({ kind: 'denied' });
    const checked = await stand.open().check(probe(), calm);
    expect(tested(checked)).not.toEqual([]);
    expect(new Set(tested(checked))).toEqual(new Set(['failed']));
    for (const one of checked) {
      if (one.outcome !== 'failed') continue;
      const failure = await stand.failure(Promise.reject(one.failure), 'permission');
      expect(failure.message).toContain(one.permission);
    }
  });

  test.each(cases)('ends at $fault with one failure of kind $kind', async ({ fault, kind }) => {
    stand.fake.fail({ kind: fault });
    const checked = await stand.open().check(probe(), calm);
    expect(tested(checked)).toEqual(['failed']);
    const [first] = checked;
    if (first?.outcome !== 'failed') throw new Error('the first test did not fail');
    await stand.failure(Promise.reject(first.failure), kind);
  });

  test.each(Object.entries(strangers))('does not take %s for a permission', async (_what, reaction) => {
    party.between.meet((asked) => (isCall(asked) ? reaction : undefined));
    const checked = await party.open().check(probe(), calm);
    expect(tested(checked)).toEqual(['failed']);
  });
});
