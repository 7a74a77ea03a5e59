import { systemClock } from '#core/clock.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import type { Operation, Queue } from '#queue/contract.ts';
import { openQueue } from '#queue/open.ts';
import { times } from '../measure/rounds.ts';
import type { Stage } from '../stage.ts';

/** Associations of one type, created through the API, and their queue. */
export interface Associations {
  readonly queue: Queue;
  readonly count: number;
  /** Marks all as outdated, so that each is pushed. */
  change(): Promise<readonly Operation[]>;
  /** The number of outdated associations. */
  outOfDate(): Promise<number>;
  close(): Promise<void>;
}

export interface AssociationsOptions {
  readonly type: string;
  /** Body of a destination. */
  readonly destination: object;
  /** A prefix for the names of its destinations and secrets. */
  readonly name: string;
  readonly destinations: number;
  readonly secrets: number;
}

const width = 32;

/** Associates every secret with every destination. The queue is paused; resume it to push them. */
export async function associate(stage: Stage, options: AssociationsOptions): Promise<Associations> {
  const { type, name, destinations, secrets } = options;
  const types = definitions.map((definition) => definition.type);
  const queue = await openQueue({ redisUrl: stage.redisUrl, types, log: silentLog, clock: systemClock });
  await queue.pause();
  await times(secrets, width, (index) =>
    stage.write(`secret/data/${name}/${index}`, { data: { value: `first ${index}` } }),
  );
  for (let index = 0; index < destinations; index += 1) {
    await stage.write(`sys/sync/destinations/${type}/${name}-${index}`, options.destination);
  }
  await times(destinations * secrets, width, (index) => {
    const path = `sys/sync/destinations/${type}/${name}-${index % destinations}/associations/set`;
    return stage.write(path, { mount: 'secret', secret_name: `${name}/${Math.floor(index / destinations)}` });
  });
  await stage.database.query('vacuum analyze');
  return {
    queue,
    count: destinations * secrets,
    change: () => change(stage, name),
    outOfDate: () => outOfDate(stage, name),
    close: () => queue.close(),
  };
}

async function change(stage: Stage, name: string): Promise<readonly Operation[]> {
  const { rows } = await stage.database.query<Operation>(
    `update associations set generation = generation + 1, forced_generation = generation + 1, status = 'PENDING'
      where secret_name like $1
     returning id::text as id, type, destination_id::text as destination_id, generation, false as waiting`,
    [`${name}/%`],
  );
  return rows;
}

async function outOfDate({ database }: Stage, name: string): Promise<number> {
  const { rowCount } = await database.query(
    'select from associations where generation > observed_generation and secret_name like $1',
    [`${name}/%`],
  );
  return rowCount ?? 0;
}
