import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Barrier } from '#store/store.ts';
import type { Claimed } from '../../claim/claim.ts';
import { markOf, tagsOf } from './decide.ts';
import { judgePut, judgeRemoval, type Seen } from './judge.ts';
import type { Plan, Put } from './plan.ts';
import type { Judgement, Planned } from './planned.ts';
import type { Holder } from './taken.ts';

/** What the record says of one association. */
export interface DecidedOne extends Pick<Plan, 'removes' | 'refusals'> {
  readonly association: Claimed;
  readonly wanted: readonly Put[];
}

/** Of an association: what `takenNames` has to look for. */
export const nameKeysOf = ({ wanted }: Pick<DecidedOne, 'wanted'>): readonly string[] =>
  wanted.map(({ nameKey }) => nameKey);

/** The names to look at; a name that another association holds is not. */
export const namesToSee = ({ association, wanted, removes }: DecidedOne, taken: ReadonlyMap<string, Holder>) =>
  [...wanted.filter((put) => holderOf(taken, association.id, put) === undefined), ...removes].map(({ name }) => name);

/** What a sync would do with each object, by what was seen under the names. Decides without side effects. */
export function judgedObjects(
  definition: DestinationDefinition,
  barrier: Barrier,
  { association, wanted, removes, refusals }: DecidedOne,
  taken: ReadonlyMap<string, Holder>,
  seen: ReadonlyMap<string, Seen>,
): readonly Planned[] {
  const { id, mountPath, secretName, generation } = association;
  const shown = (subKey: string, name: string, judgement: Judgement, more: Partial<Planned> = {}): Planned => {
    const found = seen.get(name);
    const looked = found !== 'unknown' && found !== 'unlooked';
    const version = typeof found === 'object' ? found.remoteVersion : null;
    const object = { id, generation, mount: mountPath.replace(/\/$/, ''), secret_name: secretName, sub_key: subKey };
    return { ...object, external_name: name, looked, version, ...judgement, ...more };
  };
  return [
    ...refusals.map(({ subKey, name, kind, message }) =>
      shown(subKey, name, { action: 'refuse', reason: 'refused' }, { kind, message }),
    ),
    ...wanted.map((put) => {
      const holder = holderOf(taken, id, put);
      if (holder !== undefined)
        return shown(put.subKey, put.name, nameTaken, { kind: 'conflict', message: heldBy(holder) });
      const mark = put.before?.mark ?? markOf(barrier, id, put.nameKey);
      const tags = tagsOf(definition, association.tags, mark);
      return shown(put.subKey, put.name, judgePut(definition, put, mark, tags, seen.get(put.name)));
    }),
    ...removes.flatMap((object) => {
      const judgement = judgeRemoval(definition, object, seen.get(object.name));
      return judgement === undefined ? [] : [shown(object.subKey, object.name, judgement)];
    }),
  ];
}

function holderOf(taken: ReadonlyMap<string, Holder>, id: string, { nameKey }: Put): string | undefined {
  const holder = taken.get(nameKey);
  return holder === undefined || holder.associationId === id ? undefined : holder.secretName;
}

const nameTaken: Judgement = { action: 'refuse', reason: 'name-taken' };
const heldBy = (secretName: string) => `the name belongs to ${JSON.stringify(secretName)} at this destination`;
