import { expect, test } from 'vitest';
import type { VariableRecord } from '#destinations/deploy-host-project/client/record.ts';
import { type Plan, plan, type Wanted } from '#destinations/deploy-host-project/put/plan.ts';

const mark = 'a'.repeat(32);
const wanted: Wanted = { name: 'DB', mode: 'create', mark, remoteVersion: null };
const both = ['preview', 'production'];

const record = (id: string, targets: readonly string[], more: Partial<VariableRecord> = {}): VariableRecord => ({
  id,
  name: 'DB',
  type: 'encrypted',
  targets,
  customEnvironments: [],
  branch: null,
  changedMs: null,
  mark: null,
  version: `${id}:1`,
  ...more,
});
const own = (id: string, targets: readonly string[], more = {}) => record(id, targets, { mark, ...more });
const writes = (write: object, ...steps: object[]) => ({ kind: 'write', steps, write });
const edit = (id: string) => ({ kind: 'edit', id });

test.each<readonly [string, Partial<Wanted>, readonly VariableRecord[], object]>([
  ['no variable exists', {}, [], writes({ kind: 'create' })],
  ['our variable has vanished', { mode: 'update', remoteVersion: 'x:1' }, [], writes({ kind: 'create' })],
  ['a foreign one is for another environment', {}, [record('f', ['development'])], writes({ kind: 'create' })],
  ['a foreign one is for one branch', {}, [record('f', ['preview'], { branch: 'fix' })], writes({ kind: 'create' })],
  ['one of another name exists', {}, [record('f', both, { name: 'OTHER' })], writes({ kind: 'create' })],
  [
    'a foreign one shares an environment',
    {},
    [record('f', ['production'])],
    { kind: 'conflict', record: record('f', ['production']) },
  ],
  ['one with another mark of ours exists', {}, [record('f', both, { mark: 'b'.repeat(32) })], { kind: 'conflict' }],
  [
    'a foreign one has replaced ours',
    { mode: 'update', remoteVersion: 'x:1' },
    [record('f', both)],
    { kind: 'conflict' },
  ],
  ['an id alone proves nothing for create', { remoteVersion: 'f:1' }, [record('f', both)], { kind: 'conflict' }],
  ['ours exists after a lost answer', {}, [own('o', both)], writes({ kind: 'replace' })],
  ['ours exists', { mode: 'update' }, [own('o', ['production', 'preview'])], writes({ kind: 'replace' })],
  ['ours lost its comment', { mode: 'update', remoteVersion: 'o:1' }, [record('o', both)], writes(edit('o'))],
  ['ours is for fewer environments', { mode: 'update' }, [own('o', ['preview'])], writes(edit('o'))],
  ['ours is for more environments', { mode: 'update' }, [own('o', [...both, 'development'])], writes(edit('o'))],
  ['ours was made sensitive', { mode: 'update' }, [own('o', both, { type: 'sensitive' })], writes(edit('o'))],
  [
    'ours is for fewer and a foreign one has the rest',
    { mode: 'update' },
    [own('o', ['preview']), record('f', ['production'])],
    { kind: 'conflict' },
  ],
  [
    'ours was split in two',
    { mode: 'update' },
    [own('o', ['preview']), own('p', ['production'])],
    writes(edit('o'), { kind: 'remove', id: 'p' }),
  ],
  ['adopting one within our environments', { mode: 'adopt' }, [record('f', ['production'])], writes(edit('f'))],
  ['adopting one with just our environments', { mode: 'adopt' }, [record('f', both)], writes(edit('f'))],
  [
    'adopting where one has more environments',
    { mode: 'adopt' },
    [record('f', [...both, 'development'])],
    writes({ kind: 'create' }, { kind: 'narrow', id: 'f', targets: ['development'] }),
  ],
  [
    'adopting two',
    { mode: 'adopt' },
    [record('f', ['preview']), record('g', ['production'])],
    writes(edit('f'), { kind: 'remove', id: 'g' }),
  ],
  [
    'adopting where one has custom environments',
    { mode: 'adopt' },
    [record('f', both, { customEnvironments: ['env_1'] })],
    writes({ kind: 'create' }, { kind: 'narrow', id: 'f', targets: [] }),
  ],
  [
    'adopting where nothing shares an environment',
    { mode: 'adopt' },
    [record('f', ['development'])],
    writes({ kind: 'create' }),
  ],
])('%s', (_case, change, records, expected) => {
  expect(plan({ ...wanted, ...change }, both, records)).toMatchObject(expected);
});

test('only an adoption touches a foreign record', () => {
  const foreign = [record('f', ['preview']), record('g', ['development']), record('h', ['preview'], { branch: 'x' })];
  const touched = (decided: Plan) =>
    decided.kind === 'conflict'
      ? []
      : [...decided.steps, decided.write].flatMap((step) => ('id' in step ? [step.id] : []));
  for (const mode of ['create', 'update'] as const) {
    for (const targets of [['preview'], ['production'], both, ['development']]) {
      expect(touched(plan({ ...wanted, mode, remoteVersion: 'z:9' }, targets, foreign))).toEqual([]);
    }
  }
});
