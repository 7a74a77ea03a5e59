import { open } from 'node:fs/promises';
import { openSweeper, type Sweeper } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { dump } from '#store/backup/dump.ts';
import { times, until, within } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';
import type { Step } from './cost.ts';
import type { Filled } from './fill.ts';

const width = 8;
const limitMs = 600_000;
const expiring = 20_000;
const idleRounds = 5;

/** The sampled rows: the same number at each size, from the whole store. */
export interface Used extends Filled {
  readonly count: number;
}

/** Operations on single items, whose cost must not depend on the number of items. */
export function requestSteps(stage: Stage, used: Used): readonly Step[] {
  const { paths, tokens, count } = used;
  const each = (request: (index: number) => Promise<unknown>) => async () => {
    await times(count, width, request);
    return count;
  };
  const pick = (list: readonly string[], index: number) => list[Math.floor((index * list.length) / count)] ?? '';
  const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/'));
  return [
    { what: 'read of a secret', work: each((index) => read(stage, `secret/data/${pick(paths, index)}`)) },
    {
      what: 'LIST of a folder of 100',
      work: each((index) => read(stage, `secret/metadata/${folderOf(pick(paths, index))}?list=true`)),
    },
    { what: 'look-up of a token', work: each((index) => read(stage, 'auth/token/lookup-self', pick(tokens, index))) },
    {
      what: 'write of a secret with an association',
      work: each((index) =>
        stage.write(`secret/data/${pick(paths, index)}`, { data: { value: `${performance.now()}` } }),
      ),
    },
  ];
}

/** What processes do without a request. A worker must be running. */
export async function backgroundSteps(stage: Stage, { paths, secrets }: Used): Promise<Background> {
  const sweeper = await openSweeper({ config: readConfig(stage.environment), log: silentLog });
  const setDisabled = (disabled: boolean) => stage.write('sys/sync/config', { disabled });
  const change = async () => {
    await setDisabled(true);
    await stage.database.query(changed, [paths]);
  };
  const queueAll = async () => {
    await change();
    await sweeper.run();
  };
  return {
    steps: [
      { what: 'round of the sweep with nothing to do', work: () => idle(sweeper), prepare: () => drained(stage) },
      { what: 'operation queued by the sweep', prepare: change, work: () => sweeper.run().then(() => paths.length) },
      {
        what: 'operation claimed, read and written back',
        prepare: queueAll,
        work: async () => {
          await setDisabled(false);
          await drained(stage);
          return paths.length;
        },
      },
      {
        what: 'token that has expired',
        prepare: () => expire(stage, secrets),
        work: () => removeTokens(stage, sweeper),
      },
      { what: 'secret in a backup', work: () => backUp(stage, secrets), readsAll: true },
    ],
    close: () => sweeper.close(),
  };
}

export interface Background {
  readonly steps: readonly Step[];
  close(): Promise<void>;
}

async function read(stage: Stage, path: string, token = stage.rootToken): Promise<void> {
  const answer = await stage.api.inject({ method: 'GET', url: `/v1/${path}`, headers: { 'x-service-token': token } });
  if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${answer.payload}`);
}

const changed = `update associations set generation = generation + 1, forced_generation = generation + 1, status = 'PENDING'
                  where secret_name = any($1::text[])`;

async function idle(sweeper: Sweeper): Promise<number> {
  for (let round = 0; round < idleRounds; round += 1) await sweeper.run();
  return idleRounds;
}

const drained = ({ database }: Stage): Promise<void> =>
  within(
    limitMs,
    until(async () => {
      const { rows } = await database.query(
        'select from associations where generation > observed_generation order by id limit 1',
      );
      return rows.length === 0;
    }),
  );

/** Random tokens: at most a tenth of all, because each round uses tokens that earlier rounds have left. */
async function expire({ database }: Stage, secrets: number): Promise<void> {
  await database.query(
    `update tokens set expire_at = now() where accessor in (
       select 'growth-' || 2 * floor(random() * $1 / 2)::bigint from generate_series(1, least($2, $1 / 20)))`,
    [secrets, expiring],
  );
}

async function removeTokens({ database }: Stage, sweeper: Sweeper): Promise<number> {
  const { rows } = await database.query<{ count: string }>('select count(*) from tokens where expire_at <= now()');
  await sweeper.dropTokens(AbortSignal.timeout(limitMs));
  return Number(rows[0]?.count);
}

/** Discarded, because there may be no room for a second copy of the large store. */
async function backUp({ databaseUrl }: Stage, secrets: number): Promise<number> {
  const nowhere = await open('/dev/null', 'w');
  try {
    await dump({ databaseUrl }, { writev: (pieces) => nowhere.writev(pieces), sync: async () => {} }, () => {});
  } finally {
    await nowhere.close();
  }
  return secrets;
}
