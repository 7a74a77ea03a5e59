import { sync } from '#client/operations/sync.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import type { Result } from '../../output/result.ts';
import type { Given, Verb } from '../../verb.ts';
import { counted, type Wanted } from '../sync/run-batch.ts';
import { settledBatch } from '../sync/settled-batch.ts';
import { type Target, targetOf } from '../sync/target.ts';
import { planTable } from './plan-table.ts';
import { planned } from './planned.ts';

/** Reasons of a plan that come from a change at the destination, not from one of ours. */
const reasons = new Set(['missing', 'changed-there', 'settings', 'tags', 'foreign']);

const isDrift = (object: Value) => reasons.has(textOf(object, 'reason')) && textOf(object, 'action') !== 'leave';

/** Another client's object stands in the place of a copy. No push takes it over. */
const isForeign = (object: Value) => textOf(object, 'reason') === 'foreign';

export const drift: Verb = {
  name: 'drift',
  summary: 'Show what was changed or removed at a destination behind the sync',
  arguments: [['<type/name>', 'the destination, such as cloud-a-sm/prod']],
  options: [
    ['--repair', 'push the copies that are not as they should be; objects of other clients stay'],
    ['-y, --yes', 'with --repair: do not ask', { with: ['--repair'] }],
    ['--timeout <time>', 'how long --repair waits for the outcomes; default: 5m', { with: ['--repair'] }],
  ],
  examples: ['keyferry drift cloud-a-sm/prod', 'keyferry drift cloud-a-sm/prod --repair --yes'],
  async run(context, given) {
    const target = targetOf(given.argument(0), given.verb);
    const all = (await planned(context, { target, filter: {}, keep: false })).objects;
    const objects = all.filter(isDrift);
    if (objects.length === 0) context.say(`no drift; objects looked at: ${all.length}`);
    if (objects.length === 0 || !given.flag('repair'))
      return { ...planTable(objects), exit: objects.length === 0 ? 'done' : 'differences' };
    const foreign = objects.filter(isForeign);
    for (const object of foreign.slice(0, namedMax))
      context.say(`${textOf(object, 'external_name')} is an object of another client and stays as it is`);
    if (foreign.length > namedMax) context.say(`and so do ${foreign.length - namedMax} more`);
    if (foreign.length === objects.length) return { ...planTable(objects), exit: 'differences' };
    const repaired = await repair(context, given, target, objects);
    return foreign.length > 0 && repaired.exit === 'done' ? { ...repaired, exit: 'differences' } : repaired;
  },
};

/** Objects of other clients that are named. */
const namedMax = 20;

/** Records that a batch can name. */
const idsMax = 500;
/** Whatever the state of the named records is, they are pushed. */
const anyStatus = 'PENDING,SYNCED,UNSYNCED,CLIENT_SIDE_ERROR,EXTERNAL_SERVICE_ERROR,INTERNAL_ERROR';

/** Replays the syncs that differ. So many that a batch cannot name them are looked for again among all of the destination. */
async function repair(
  context: Context,
  given: Given,
  { type, name }: Target,
  objects: readonly Value[],
): Promise<Result> {
  const ids = [...new Set(objects.filter((object) => !isForeign(object)).map((object) => textOf(object, 'id')))];
  const isNamed = ids.length <= idsMax;
  const wanted: Wanted = isNamed
    ? { action: 'replay', type, name, ids, status: anyStatus }
    : { action: 'replay', type, name, status: 'SYNCED' };
  const { count } = await counted(context, wanted);
  const question = isNamed
    ? `Repair ${count} syncs to ${type}/${name}?`
    : `Look at all ${count} syncs to ${type}/${name}, and repair those that differ, such as these ${ids.length}?`;
  await context.questions.agree(question, given.flag('yes'), given.verb);
  const { data } = await context.client.call(sync.createBatch, {}, wanted);
  return settledBatch(context, given, textOf(data, 'id'));
}
