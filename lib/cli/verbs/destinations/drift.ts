import { sync } from '#client/operations/sync.ts';
import { textOf, type Value } from '#client/wire/json.ts';
import type { Verb } from '../../verb.ts';
import { settledBatch } from '../sync/batches.ts';
import { targetOf } from '../sync/target.ts';
import { planTable } from './plan-table.ts';
import { planned } from './planned.ts';

/** Reasons of a plan that come from a change at the destination, not from one of ours. */
const reasons = new Set(['missing', 'changed-there', 'settings', 'tags', 'foreign']);

const isDrift = (object: Value) => reasons.has(textOf(object, 'reason')) && textOf(object, 'action') !== 'leave';

export const drift: Verb = {
  name: 'drift',
  summary: 'Show what was changed or removed at a destination behind the sync',
  arguments: [['<type/name>', 'the destination, such as cloud-a-sm/prod']],
  options: [
    ['--repair', 'check every copy there, and push those that are not as they should be'],
    ['-y, --yes', 'with --repair: do not ask'],
    ['--timeout <time>', 'how long --repair waits for the outcomes; default: 5m'],
  ],
  examples: ['keyferry drift cloud-a-sm/prod', 'keyferry drift cloud-a-sm/prod --repair --yes'],
  async run(context, given) {
    const target = targetOf(given.argument(0), given.verb);
    const objects = (await planned(context, { target, filter: {}, keep: false })).objects.filter(isDrift);
    if (objects.length === 0 || !given.flag('repair'))
      return { ...planTable(objects), exit: objects.length === 0 ? 'done' : 'differences' };
    const { type, name } = target;
    await context.questions.agree(`Repair ${objects.length} copies at ${type}/${name}?`, given.flag('yes'), given.verb);
    const { data } = await context.client.call(
      sync.createBatch,
      {},
      { action: 'replay', type, name, status: 'SYNCED' },
    );
    return settledBatch(context, given, textOf(data, 'id'));
  },
};
