import { dropExpired } from '../auth/token/store.ts';
import { expireVersions } from '../engines/kv-v2/expire.ts';
import { type ReplayFilter, replay } from '../sync/replay.ts';
import { newSweepState, sweep } from '../sync/sweep.ts';
import { type AppParts, type Closable, clock, openShared } from './shared.ts';

/** The sweep, and the replay, which share what they stand on. */
export interface Sweeper extends Closable {
  /** One round. */
  run(): Promise<object>;
  replay(filter: ReplayFilter): Promise<number>;
}

/** How many expired things one round takes of each kind. */
const expiredPerRoundMax = 1_000;

export async function openSweeper(parts: AppParts): Promise<Sweeper> {
  const shared = await openShared(parts);
  const { store, queue, bell, changed } = shared;
  const state = newSweepState();
  const expire = (now: Date) => expireVersions(store, now, expiredPerRoundMax);
  return {
    async run() {
      if (store.seal.state() !== 'ready') return { sealed: true };
      const swept = await sweep({ store, queue, clock, log: parts.log, expire }, state);
      // A worker function sleeps until it is rung for: also for what was put aside, and what a dead one left behind.
      if (bell !== undefined) await queue.wake();
      return { ...swept, tokens: await dropExpired(store, expiredPerRoundMax) };
    },
    replay: async (filter) => (await replay(store, changed, filter)).replayed,
    close: shared.close,
  };
}
