import { expect, test } from 'vitest';
import type { PutMode } from '#destinations/contract.ts';
import type { VariableRecord } from '#destinations/workspace-vars/fields/record.ts';
import { plan } from '#destinations/workspace-vars/put/plan.ts';
import { mark } from './setup.ts';

const record = (change: Partial<VariableRecord>): VariableRecord => ({
  id: 'var-1',
  name: 'DB',
  category: 'env',
  hcl: false,
  sensitive: true,
  mark,
  version: 'var-1:a',
  ...change,
});
const ours = record({});
const theirs = record({ mark: null });
const other = record({ mark: 'f'.repeat(32) });
const known = 'var-1:a';
const edit = (id: string, ...leftover: string[]) => ({ kind: 'edit', id, leftover });

test.each<readonly [string, PutMode, string | null, readonly VariableRecord[], object]>([
  ['no variable exists', 'create', null, [], { kind: 'create' }],
  ['ours exists', 'create', null, [ours], edit('var-1')],
  ['a foreign one exists', 'create', null, [theirs], { kind: 'conflict' }],
  ['a foreign one exists, and is adopted', 'adopt', null, [theirs], edit('var-1')],
  ['one of another association exists', 'update', known, [other], { kind: 'conflict' }],
  ['the description of ours was overwritten', 'update', known, [theirs], edit('var-1')],
  ['ours was renamed', 'update', known, [record({ name: 'OLD' })], edit('var-1')],
  ['ours was renamed before the first receipt', 'create', null, [record({ name: 'OLD' })], { kind: 'create' }],
  ['a copy of ours has another name', 'update', 'var-2:a', [record({ name: 'COPY' })], { kind: 'create' }],
  [
    'the other category has the name',
    'create',
    null,
    [record({ mark: null, category: 'terraform' })],
    { kind: 'create' },
  ],
  ['ours is of the other category', 'update', known, [record({ category: 'terraform' })], edit('var-1')],
  [
    'ours is of the other category, and a foreign one has the name in this one',
    'update',
    known,
    [record({ category: 'terraform' }), record({ id: 'var-2', mark: null })],
    { kind: 'conflict' },
  ],
  [
    'the same, and the foreign one is adopted',
    'adopt',
    known,
    [record({ category: 'terraform' }), record({ id: 'var-2', mark: null })],
    edit('var-2', 'var-1'),
  ],
])('%s (%s)', (_what, mode, remoteVersion, records, expected) => {
  expect(plan({ name: 'DB', mode, mark, remoteVersion }, 'env', records)).toEqual(expected);
});
