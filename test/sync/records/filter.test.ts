import { describe, expect, test } from 'vitest';
import { AppError } from '#core/errors.ts';
import { definitions } from '#destinations/index.ts';
import { type GivenRecordFilter, isEmptyFilter, recordFilter } from '#sync/records/filter.ts';

describe('the filter of records', () => {
  test.each<[GivenRecordFilter, object]>([
    [{}, {}],
    [{ type: '', name: '', status: [], kind: [], mount: '', prefix: '', secret: '' }, {}],
    [
      { type: 'gh', name: 'prod' },
      { type: 'repo-host', name: 'prod' },
    ],
    [{ status: ['INTERNAL_VAULT_ERROR', 'INTERNAL_ERROR', 'SYNCED'] }, { statuses: ['INTERNAL_ERROR', 'SYNCED'] }],
    [{ kind: ['timeout', 'too-large'] }, { kinds: ['timeout', 'too-large'] }],
    [
      { mount: '/team/kv', prefix: '/app/', secret: '/app/db' },
      { mount: 'team/kv/', prefix: 'app/', secret: 'app/db' },
    ],
    [{ unconfirmed: false }, { unconfirmed: false }],
    [{ unconfirmed: true }, { unconfirmed: true }],
    [{ drift: ['tags', 'deleted'] }, { drift: ['deleted', 'tags'] }],
    [{ drift: ['any'] }, { drift: ['deleted', 'changed', 'tags', 'foreign'] }],
  ])('of %o is read', (given, filter) => {
    const read = recordFilter(definitions, given);
    expect(JSON.parse(JSON.stringify(read))).toEqual(filter);
    const narrowing = Object.entries(filter).filter(([name, value]) => name !== 'unconfirmed' || value === true);
    expect(isEmptyFilter(read)).toBe(narrowing.length === 0);
  });

  test.each<[GivenRecordFilter, readonly RegExp[]]>([
    [{ type: 'cloud-z' }, [/^type "cloud-z" is unknown: it must be one of .*gh/]],
    [
      { status: ['SYNCED', 'UNKNOWN'] },
      [/^status "UNKNOWN" is unknown: it must be one of PENDING, .*, INTERNAL_VAULT_ERROR$/],
    ],
    [{ kind: ['slow'], mount: '//' }, [/^kind "slow" is unknown: .*throttled/, /^mount has to be the path of a mount/]],
  ])('of %o is refused by field', (given, texts) => {
    const error = refusalOf(() => recordFilter(definitions, given, 'alias'));
    const messages = error.messagesIn((name) => (name === 'INTERNAL_ERROR' ? 'INTERNAL_VAULT_ERROR' : name));
    expect(messages).toEqual(texts.map((text) => expect.stringMatching(text)));
  });
});

function refusalOf(run: () => unknown): AppError {
  try {
    run();
  } catch (cause) {
    if (cause instanceof AppError) return cause;
  }
  throw new Error('it was not refused');
}
