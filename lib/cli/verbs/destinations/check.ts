import { sync } from '#client/operations/sync.ts';
import { memberOf, textOf, type Value } from '#client/wire/json.ts';
import { type Result, rowsOf } from '../../output/result.ts';
import type { Verb } from '../../verb.ts';
import { targetOf } from '../sync/target.ts';

export const check: Verb = {
  name: 'destinations check',
  summary: 'Check the address, login and permissions of a destination, without writing to it',
  arguments: [['<type/name>', 'the destination, such as cloud-a-sm/prod']],
  examples: ['keyferry destinations check cloud-a-sm/prod'],
  async run({ client }, given) {
    const target = targetOf(given.argument(0), given.verb);
    return reportTable((await client.call(sync.checkDestination, target)).data);
  },
};

/** One row for each step. A step that could not be tested is no failure. */
function reportTable(report: Value | undefined): Result {
  const steps = memberOf(report, 'steps');
  const rows = (Array.isArray(steps) ? steps : []).map((step) => ({
    step: textOf(step, 'step'),
    of: textOf(step, 'permission') || textOf(step, 'target'),
    outcome: textOf(step, 'outcome'),
    cause: textOf(step, 'cause') || textOf(step, 'reason'),
    remedy: textOf(step, 'remedy'),
  }));
  const table = rowsOf({ step: 'step', of: 'of', outcome: 'outcome', cause: 'cause', remedy: 'remedy' }, rows);
  return { ...table, exit: memberOf(report, 'passed') === true ? 'done' : 'failed' };
}
