import { describe, expect, test } from 'vitest';
import { systemClock } from '#core/clock.ts';
import { Secret } from '#core/secret.ts';
import { definition } from '#destinations/cloud-a-sm/index.ts';
import { type DestinationDefinition, DestinationFailure, type Inspection } from '#destinations/contract.ts';
import type { Written } from '#sync/model/written.ts';
import type { ActParts, PreparedPut } from '#sync/reconcile/act-parts.ts';
import { AttemptBudget } from '#sync/reconcile/attempt-budget.ts';
import { isStillGone, isStillThere } from '#sync/reconcile/look.ts';

const written: Written = {
  subKey: '',
  name: 'app',
  nameKey: 'app',
  mark: 'm',
  intendedAt: new Date(0),
  written: true,
  seenMsAgo: 0,
  remoteVersion: 'v3',
  fingerprint: Buffer.from('00', 'hex'),
  tagKeys: ['team', 'old'],
  removal: 'none',
};
const prepared: PreparedPut = {
  put: {
    subKey: '',
    name: 'app',
    nameKey: 'app',
    value: new Secret('3'),
    mode: 'update',
    verify: true,
    fingerprint: Buffer.from('00', 'hex'),
    staleTags: ['old'],
    before: written,
    asRecorded: false,
  },
  mark: 'm',
  intendedAt: new Date(0),
  intent: '0',
  tags: { team: 'a', 'keyferry-mark': 'm' },
};
const asLeft: Inspection = { remoteVersion: 'v3', mark: 'm', tags: { ...prepared.tags, theirs: 'x' }, differs: false };

type Seen = Inspection | undefined | 'unknown' | 'failed';

function partsThatSee(seen: Seen, changes: Partial<DestinationDefinition> = {}): ActParts {
  const { signal } = new AbortController();
  const budget = new AttemptBudget({ operationMs: 1_000, callsMs: 1_000, widthMax: 1, signal, clock: systemClock });
  budget.end();
  return {
    definition: { ...definition, ...changes },
    budget,
    recheck: true,
    driver: {
      put: async () => ({ remoteVersion: null }),
      remove: async () => {},
      async inspect() {
        if (seen === 'failed') throw new DestinationFailure('timeout', 'no answer');
        return seen;
      },
      check: async () => [],
      close: async () => {},
    },
  };
}

const different: readonly (readonly [string, Seen])[] = [
  ['no longer exists', undefined],
  ['has another version', { ...asLeft, remoteVersion: 'v2' }],
  ['has another mark', { ...asLeft, mark: 'other' }],
  ['has another value of a tag', { ...asLeft, tags: { ...prepared.tags, team: 'b' } }],
  ['lacks a tag', { ...asLeft, tags: { team: 'a' } }],
  ['has a removed tag again', { ...asLeft, tags: { ...prepared.tags, old: '1' } }],
  ['differs from the connection details', { ...asLeft, differs: true }],
];

describe('a recheck', () => {
  test('does not push an unchanged object', async () => {
    const parts = partsThatSee(asLeft);
    expect(await isStillThere(parts, prepared)).toBe(true);
    expect(parts.budget.mended).toBe(0);
  });

  test.each(different)('pushes an object that %s, and counts it as mended', async (_what, seen) => {
    const parts = partsThatSee(seen);
    expect(await isStillThere(parts, prepared)).toBe(false);
    expect(parts.budget.mended).toBe(1);
  });

  test.each<Seen>(['unknown', 'failed'])(
    'pushes an object that it cannot inspect (%s), without counting it',
    async (seen) => {
      const parts = partsThatSee(seen);
      expect(await isStillThere(parts, prepared)).toBe(false);
      expect(parts.budget.mended).toBe(0);
    },
  );

  test('pushes without looking where two writes may have the same version', async () => {
    const parts = partsThatSee(asLeft, { coarseVersions: true });
    expect(await isStillThere(parts, prepared)).toBe(false);
    expect(parts.budget.calls).toBe(0);
  });

  test('of a removal removes objects again that exist or cannot be inspected', async () => {
    expect(await isStillGone(partsThatSee(undefined), written)).toBe(true);
    expect(await isStillGone(partsThatSee(asLeft), written)).toBe(false);
    expect(await isStillGone(partsThatSee('unknown'), written)).toBe(false);
    expect(await isStillGone(partsThatSee('failed'), written)).toBe(false);
    expect(await isStillGone(partsThatSee(undefined, { coarseVersions: true }), written)).toBe(false);
  });
});

test('outside a recheck the version, the tags and the settings are compared, and an object that cannot be inspected counts as unchanged', async () => {
  const after = (seen: object) => isStillThere({ ...partsThatSee({ ...asLeft, ...seen }), recheck: false }, prepared);
  expect(await after({})).toBe(true);
  expect(await after({ tags: undefined })).toBe(true);
  expect(await after({ tags: {} })).toBe(false);
  expect(await after({ differs: true })).toBe(false);
  expect(await isStillThere({ ...partsThatSee('unknown'), recheck: false }, prepared)).toBe(true);
});
