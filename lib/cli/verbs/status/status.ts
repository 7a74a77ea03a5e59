import { sync } from '#client/operations/sync.ts';
import { system } from '#client/operations/system.ts';
import { memberOf, type ObjectValue, textOf } from '#client/wire/json.ts';
import type { Context } from '../../context.ts';
import { one, type Result } from '../../output/result.ts';
import type { Given, Verb } from '../../verb.ts';
import { intervalOf, newsSeconds, newsSecondsMax, rest, watched } from '../watch.ts';
import { syncState } from './sync-state.ts';

export const status: Verb = {
  name: 'status',
  summary: 'Show the state of the server and of the sync',
  options: [
    ['-w, --watch', 'look again whenever the numbers of the sync change, until interrupted'],
    [
      '--interval <seconds>',
      `longest time between two looks of --watch; default: ${newsSecondsMax}`,
      { with: ['--watch'] },
    ],
    ['--times <count>', 'end --watch after so many looks', { with: ['--watch'] }],
  ],
  examples: ['keyferry status', 'keyferry status --watch --interval 1 --times 2'],
  run(context, given) {
    let version = '';
    const look = async () => {
      const seen = await stateNow(context);
      version = seen.version;
      return seen.result;
    };
    return watched(context, given, look, () => untilChanged(context, given, version));
  },
};

interface Seen {
  readonly result: Result;
  /** Of the overview of the sync; empty when it was not read. */
  readonly version: string;
}

async function stateNow(context: Context): Promise<Seen> {
  const seal = (await context.clientWith(undefined).call(system.sealStatus, {})).data;
  const isSealed = memberOf(seal, 'sealed') === true;
  const sync = isSealed ? undefined : await syncState(context);
  const state: ObjectValue = {
    address: context.settings.connection.address,
    version: memberOf(seal, 'version'),
    cluster: memberOf(seal, 'cluster_name'),
    initialized: memberOf(seal, 'initialized'),
    sealed: isSealed,
    seal: memberOf(seal, 'type'),
    ...(isSealed ? { shares: `${textOf(seal, 'progress')} of ${textOf(seal, 't')}` } : {}),
    ...(sync === undefined ? {} : { sync: sync.state }),
  };
  return { result: { ...one(state), exit: isSealed ? 'sealed' : 'done' }, version: sync?.version ?? '' };
}

/** Seconds until the next look where the server does not tell of changes. */
const secondsOtherwise = 2;

/** Until the overview changes, but not longer than the interval. The next look tells what is wrong if it cannot be read. */
async function untilChanged(context: Context, given: Given, since: string): Promise<void> {
  if (since === '') return rest(context, intervalOf(given, secondsOtherwise));
  const began = performance.now();
  try {
    const wait = newsSeconds(context, intervalOf(given, newsSecondsMax));
    const { data } = await context.client.call(sync.overview, {}, { since, wait });
    // A server on which too many requests wait answers before the time is over.
    const leftMs = Math.min(wait, secondsOtherwise) * 1_000 - (performance.now() - began);
    if (textOf(data, 'version') === since && leftMs > 0) await rest(context, leftMs / 1_000);
  } catch (error) {
    if (context.host.signal.aborted) throw error;
    await rest(context, secondsOtherwise);
  }
}
