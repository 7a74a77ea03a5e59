import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { findPooler, type PoolerRelease } from '../../local/pooler/program.ts';
import { startPooler } from '../../local/pooler/start.ts';
import type { LocalServer } from '../../local/server.ts';
import { fillBareRows } from '../baseline/rows.ts';
import { type Figure, percentile } from '../measure/figure.ts';
import { addressed, measureHttp } from '../measure/http-load.ts';
import type { Process } from '../processes/process.ts';
import type { Bench, Section } from '../section.ts';

/** As a share of the rate without a pooler. */
const share = 0.85;
const serverConnections = 30;
const json = { 'content-type': 'application/json' };

/** What a pooler in front of PostgreSQL costs, and how many concurrent functions it serves with few connections. */
export const poolerSection: Section = {
  name: 'pooler',
  title: 'PgBouncer in transaction mode in front of PostgreSQL; bare: without it',
  async measure(bench) {
    const figures: Figure[] = [];
    await fillBareRows(bench.stage.database, 1, '{}');
    await bench.stage.write('secret/data/pooled', { data: { value: 'pooled' } });
    for (const release of ['1.18', '1.24'] as const) {
      const pooler = await poolerOf(bench, release);
      if (pooler === undefined) continue;
      figures.push(...(await speed(bench, release, pooler.url)));
      if (release === '1.24') figures.push(...(await bareSpeed(bench, pooler.url)));
      figures.push(...(await functions(bench, release, pooler.url)));
      await pooler.stop();
    }
    return figures;
  },
};

async function poolerOf({ stage, note }: Bench, release: PoolerRelease): Promise<LocalServer | undefined> {
  const program = await findPooler(release);
  if (typeof program !== 'string') return startPooler({ program, databaseUrl: stage.databaseUrl, serverConnections });
  note(`not measured: ${program}`);
  return undefined;
}

async function speed(bench: Bench, release: PoolerRelease, databaseUrl: string): Promise<readonly Figure[]> {
  const [pooled, direct] = [
    await bench.stage.start('api', addressed, { databaseUrl }),
    await bench.stage.start('api', addressed),
  ];
  const headers = { ...json, 'x-service-token': bench.stage.rootToken };
  const body = JSON.stringify({ data: { value: 'pooled' } });
  const both = (load: object) => ({ ours: { server: pooled, load }, bare: { server: direct, load }, count: 1, share });
  try {
    return [
      ...(await measureHttp(bench, {
        what: `Secret read, PgBouncer ${release}`,
        ...both({ method: 'GET', path: '/v1/secret/data/pooled?scan=', headers }),
      })),
      ...(await measureHttp(bench, {
        what: `Secret written, PgBouncer ${release}`,
        ...both({ method: 'POST', path: '/v1/secret/data/pooled?scan=', headers, body }),
      })),
    ];
  } finally {
    await Promise.all([pooled.end(), direct.end()]);
  }
}

/** The rate of one prepared SELECT through the pooler: the cost of the pooler alone. */
async function bareSpeed(bench: Bench, databaseUrl: string): Promise<readonly Figure[]> {
  const pooled = await bench.stage.start('bare-api', addressed, { poolSize: 10, databaseUrl });
  const direct = await bench.stage.start('bare-api', addressed, { poolSize: 10 });
  const load = { method: 'GET', path: '/read/bench/', headers: {} };
  const sides = { ours: { server: pooled, load }, bare: { server: direct, load } };
  try {
    const what = 'One prepared SELECT of a bare server, PgBouncer 1.24';
    const figures = await measureHttp(bench, { what, count: 1, ...sides });
    return figures.map(({ target: _, ...figure }) => figure);
  } finally {
    await Promise.all([pooled.end(), direct.end()]);
  }
}

const answered = z.object({ answers: z.array(z.object({ status: z.int(), ms: z.number() })) });

/** The first event starts each instance; later events reach all instances at once. */
async function functions(bench: Bench, release: PoolerRelease, databaseUrl: string): Promise<readonly Figure[]> {
  const count = bench.quick ? 40 : 200;
  const processes = 4;
  const parameters = {
    databaseUrl,
    count: count / processes,
    path: '/v1/secret/data/pooled',
    token: bench.stage.rootToken,
  };
  const started: Process<unknown>[] = [];
  for (let index = 0; index < processes; index += 1) {
    started.push(await bench.stage.start('functions', z.object({}), parameters));
  }
  bench.report(`${count} functions at once on ${serverConnections} connections of PgBouncer ${release}`);
  const all = async (question: 'start' | 'event') =>
    (await Promise.all(started.map((one) => one.ask(question, answered)))).flatMap(({ answers }) => answers);
  try {
    const watch = watchConnections(bench);
    const cold = await all('start');
    const warm = [await all('event'), await all('event'), await all('event')].flat();
    const failed = [...cold, ...warm].filter(({ status }) => status !== 200).length;
    const what = `${count} functions at once, PgBouncer ${release}`;
    const at = (answers: typeof cold, part: number) =>
      percentile(
        answers.map(({ ms }) => ms),
        part,
      );
    return [
      {
        what: `${what}: events that failed, of ${cold.length + warm.length}`,
        value: failed,
        unit: '',
        target: { bound: 0 },
      },
      {
        what: '  connections of PostgreSQL, at most',
        value: await watch(),
        unit: '',
        target: { bound: serverConnections },
      },
      { what: '  first event, median', value: at(cold, 0.5), unit: 'ms' },
      { what: '  first event, slowest', value: at(cold, 1), unit: 'ms' },
      { what: '  later event, median', value: at(warm, 0.5), unit: 'ms' },
      { what: '  later event, slowest', value: at(warm, 1), unit: 'ms' },
    ];
  } finally {
    await Promise.all(started.map((one) => one.end()));
  }
}

/** The connections that PgBouncer has opened; those of the stage were opened earlier. */
function watchConnections({ stage }: Bench): () => Promise<number> {
  let [most, ended] = [0, false];
  const watching = (async () => {
    const before = await connectionsOf(stage);
    while (!ended) {
      most = Math.max(most, (await connectionsOf(stage)) - before);
      await delay(50);
    }
  })();
  return async () => {
    ended = true;
    await watching;
    return most;
  };
}

async function connectionsOf({ database }: Bench['stage']): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity where datname = current_database()`,
  );
  return rows[0]?.n ?? 0;
}
