import { expect, test } from 'vitest';
import { type AssociationRecord, associatedSecrets } from '#sync/rows/associations/view.ts';

const updated_at = new Date(0);

/** An association with one object per given sub key, in this order. */
function association(secret_name: string, ...subKeys: readonly string[]): AssociationRecord {
  const time = updated_at.toISOString();
  return {
    type: 'cloud-a-sm',
    destination_name: 'place',
    mount_path: 'kv/',
    mount_accessor: 'kv_1',
    secret_name,
    granularity: 'secret-key',
    desired: 'present',
    status: 'SYNCED',
    error: null,
    records: subKeys.map((sub_key, index) => ({
      sub_key,
      external_name: `${secret_name}:${sub_key}:${index}`,
      status: 'SYNCED',
      error: null,
      updated_at: time,
    })),
    attempts: 0,
    next_attempt_at: null,
    recheck_at: null,
    unconfirmed: false,
    updated_at,
  };
}

function keysOf(...associations: readonly AssociationRecord[]): Readonly<Record<string, string>> {
  const shown = associatedSecrets(associations, 'canonical') as {
    readonly associated_secrets: Readonly<Record<string, { readonly external_name: string }>>;
  };
  return Object.fromEntries(Object.entries(shown.associated_secrets).map(([key, one]) => [key, one.external_name]));
}

test.each([
  ['a key with a slash', [association('col', 'x/y'), association('col/x', 'y')], ['col/x%2Fy', 'col/x/y']],
  ['a key that looks encoded', [association('col', 'x%2Fy', 'x/y')], ['col/x%252Fy', 'col/x%2Fy']],
  [
    'a secret that looks encoded',
    [association('col', 'x/y'), association('col/x%2Fy', '')],
    ['col/x%2Fy#2', 'col/x%2Fy'],
  ],
  ['a key and a whole secret', [association('col', 'x'), association('col/x', '')], ['col/x#2', 'col/x']],
  ['a whole secret and a key', [association('col/x', ''), association('col', 'x')], ['col/x', 'col/x#2']],
  ['a new copy and an old one', [association('col', 'x', 'x')], ['col/x', 'col/x#2']],
  [
    'a number that is taken',
    [association('col', 'x', 'x#2'), association('col/x', ''), association('col/x#2', '')],
    ['col/x#3', 'col/x#2#2', 'col/x', 'col/x#2'],
  ],
  ['an empty key', [association('col', '', 'x')], ['col', 'col/x']],
])('%s: each record has a map key of its own', (_what, associations, expected) => {
  const names = associations.flatMap(({ records }) => records.map(({ external_name }) => external_name));
  const wanted = expected.map((key, index) => [`kv_1/${key}`, names[index]]);
  expect(keysOf(...associations)).toEqual(Object.fromEntries(wanted));
});
