import { sync } from '#client/operations/sync.ts';
import { memberOf } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { one, type Result } from '../../output/result.ts';
import type { Described, Given, Verb } from '../../verb.ts';
import { targetOf } from './target.ts';

const targetArgument: Described = ['[type/name]', 'only this destination, such as cloud-a-sm/prod'];

export const pause: Verb = {
  name: 'pause',
  summary: 'Pause all syncs, or those to one destination; changes wait',
  arguments: [targetArgument],
  options: [
    ['--until <time>', 'when they resume by themselves, such as 2030-01-31T08:00:00Z'],
    ['-y, --yes', 'do not ask'],
  ],
  examples: ['keyferry pause --yes', 'keyferry pause cloud-a-sm/prod --until 2999-01-31T08:00:00Z --yes'],
  async run(context, given) {
    const where = given.arguments[0] ?? 'all destinations';
    await context.questions.agree(`Pause the syncs to ${where}?`, given.flag('yes'), given.verb);
    return change(context, given, { disabled: true, disabled_until: given.text('until') ?? null });
  },
};

export const resume: Verb = {
  name: 'resume',
  summary: 'Resume all syncs, or those to one destination; what waits is pushed',
  arguments: [targetArgument],
  examples: ['keyferry resume', 'keyferry resume cloud-a-sm/prod'],
  run: (context, given) => change(context, given, { disabled: false, disabled_until: null }),
};

interface Pause {
  readonly disabled: boolean;
  readonly disabled_until: string | null;
}

async function change({ client }: Context, given: Given, fields: Pause): Promise<Result> {
  const [destination] = given.arguments;
  if (destination === undefined) {
    await client.call(sync.patchConfig, {}, { ...fields });
    return shown((await client.call(sync.readConfig, {})).data);
  }
  const target = targetOf(destination, given.verb);
  await client.call(sync.patchDestination, target, { ...fields });
  return shown((await client.call(sync.readDestination, target)).data);
}

const shown = (data: Parameters<typeof memberOf>[0]): Result =>
  one({ disabled: memberOf(data, 'disabled') ?? null, disabled_until: memberOf(data, 'disabled_until') ?? null });
