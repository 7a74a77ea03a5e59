import { newServer, type OwnServer } from './own-server.ts';
import { promote, standbyName, standbyOf, untilTrue, urlOfBoth } from './standby.ts';

/** A primary and a synchronous standby that change roles. Both keep their ports. */
export interface Pair {
  readonly url: string;
  /** Kills the primary, promotes the standby, and replaces the killed server by a new standby. */
  failOver(): Promise<void>;
  remove(): Promise<void>;
}

export async function newPair(): Promise<Pair> {
  let primary = await newServer();
  await primary.start();
  let standby = await standbyOf(primary);
  await waitFor(primary);
  return {
    url: urlOfBoth(primary, standby),
    async failOver() {
      const [killed, next] = [primary, standby];
      await killed.kill();
      await promote(next);
      await killed.remove();
      [primary, standby] = [next, await standbyOf(next, killed.port)];
      await waitFor(primary);
    },
    remove: async () => {
      await Promise.all([primary, standby].map((one) => one.remove()));
    },
  };
}

/** Waits until commits are on both servers. Commits are replicated in order, so earlier ones are on both as well. */
async function waitFor(primary: OwnServer): Promise<void> {
  await primary.query(`alter system set synchronous_standby_names = '${standbyName}'`);
  await primary.query('select pg_reload_conf()');
  await untilTrue(primary, `exists (select 1 from pg_stat_replication where sync_state = 'sync')`);
}
