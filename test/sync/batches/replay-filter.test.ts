import { describe, expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { replayFilter } from '#sync/batches/replay/filter.ts';

const none = { type: undefined, name: undefined, syncStatus: undefined, cursor: undefined };

describe('the filter of a replay', () => {
  test.each([
    [{}, none],
    [{ type: '', name: '', sync_status: '', cursor: '' }, none],
    [{ type: 'gh' }, { ...none, type: 'repo-host' }],
    [{ sync_status: 'INTERNAL_VAULT_ERROR' }, { ...none, syncStatus: 'INTERNAL_ERROR' }],
    [
      { type: 'cloud-a-sm', name: 'prod', sync_status: 'SYNCED', cursor: '1200' },
      { type: 'cloud-a-sm', name: 'prod', syncStatus: 'SYNCED', cursor: '1200' },
    ],
  ])('of %o is read', (given, filter) => {
    expect(replayFilter(definitions, given)).toEqual(filter);
  });

  test.each([
    [{ type: 'cloud-z' }, 'unknown destination type "cloud-z"'],
    [{ sync_status: 'UNKNOWN' }, 'unknown sync_status "UNKNOWN"'],
    [{ cursor: '12345678901234567890' }, 'cursor "12345678901234567890"'],
  ])('of %o is refused', (given, text) => {
    expect(() => replayFilter(definitions, given)).toThrow(text);
  });
});
