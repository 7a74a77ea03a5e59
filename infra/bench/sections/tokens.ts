import { setTimeout as delay } from 'node:timers/promises';
import { fillBareRows } from '../baseline/rows.ts';
import type { Figure } from '../measure/figure.ts';
import { addressed, measureHttp, type Server } from '../measure/http-load.ts';
import type { Bench, Section } from '../section.ts';

const json = { 'content-type': 'application/json' };
const limitMs = 600_000;
const megabyte = 1_048_576;
/** Maximum growth of the API's memory, whatever the number of tokens. */
const megabytesMax = 100;

/** Tokens over HTTP compared with bare routes, and operations on a large number of tokens. */
export const tokensSection: Section = {
  name: 'tokens',
  title: 'Tokens over HTTP, trees of tokens, tidying',
  async measure(bench) {
    await fillBareRows(bench.stage.database, 1, '{}');
    const api = await bench.stage.start('api', addressed);
    const bare = await bench.stage.start('bare-api', addressed, { poolSize: 10 });
    try {
      return [
        ...(await lookups(bench, api, bare)),
        ...(await creations(bench, api, bare)),
        ...(await revocation(bench, api)),
        ...(await tidying(bench, api)),
      ];
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
  },
};

const tokenOf = ({ stage }: Bench) => ({ 'x-service-token': stage.rootToken });

const lookups = (bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> =>
  measureHttp(bench, {
    what: 'Token lookup-self; bare Fastify: one SELECT',
    count: 1,
    ours: {
      server: api,
      load: { method: 'GET', path: '/v1/auth/token/lookup-self?scan=', headers: tokenOf(bench) },
    },
    bare: { server: bare, load: { method: 'GET', path: '/read/bench/', headers: {} } },
  });

function creations(bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> {
  const body = JSON.stringify({ policies: ['default'], ttl: '1h' });
  const headers = { ...json, ...tokenOf(bench) };
  return measureHttp(bench, {
    what: 'Token create; bare Fastify: one INSERT',
    share: 0.35,
    count: 1,
    ours: { server: api, load: { method: 'POST', path: '/v1/auth/token/create?scan=', headers, body } },
    bare: { server: bare, load: { method: 'POST', path: '/write/bench/', headers: json, body } },
  });
}

/** Ten children each on five levels make 111,110. */
async function revocation(bench: Bench, api: Server): Promise<readonly Figure[]> {
  const width = bench.quick ? 6 : 10;
  const accessor = await newToken(bench, api);
  const count = await insertTree(bench, accessor, width);
  bench.report(`revoking ${count} tokens in a tree of depth 5`);
  return over(bench, api, `Tokens of a tree of ${count} revoked`, async () => {
    await ask(bench, api, 'auth/token/revoke-accessor', { accessor });
    await until(bench, 'select not exists (select 1 from tokens where revoked_at is not null) as done');
    return count;
  });
}

async function tidying(bench: Bench, api: Server): Promise<readonly Figure[]> {
  const count = bench.quick ? 50_000 : 1_000_000;
  await bench.stage.database.query(
    `${columns} select sha256(int8send(n)), 'tidy-' || n, sha256(int8send(-n)), ${values} from generate_series(1, $1::bigint) as n`,
    [count],
  );
  bench.report(`tidying ${count} tokens without a parent`);
  return over(bench, api, `Tokens tidied, of ${count}`, async () => {
    await ask(bench, api, 'auth/token/tidy', {});
    await until(bench, 'select bool_and(held_until <= now()) as done from token_tidy');
    return count;
  });
}

const columns = `insert into tokens (hash, accessor, parent, policies, meta, display_name, path, type, num_uses, period,
  explicit_max_ttl, creation_ttl, creation_time, expire_at, renewable, orphan, entity_id, role, bound_cidrs)`;
const values = `'{default}', null, 'token', 'auth/token/create', 'service', 0, 0, 0, 86400, now(), now() + interval '1 day', true,
  false, '', '', '{}'`;

async function insertTree({ stage }: Bench, accessor: string, width: number): Promise<number> {
  const { rowCount } = await stage.database.query(
    `with recursive tree (hash, parent, level) as (
       select hash, null::bytea, 0 from tokens where accessor = $1
       union all
       select sha256(tree.hash || int4send(n)), tree.hash, level + 1 from tree cross join generate_series(1, $2::int) as n
        where level < 5)
     ${columns} select hash, encode(hash, 'hex'), parent, ${values} from tree where level > 0`,
    [accessor, width],
  );
  return rowCount ?? 0;
}

/** The rate, and the growth of the API's memory meanwhile. */
async function over(bench: Bench, api: Server, what: string, work: () => Promise<number>): Promise<readonly Figure[]> {
  await bench.stage.database.query('analyze tokens');
  const before = (await api.memory()).rss;
  let most = before;
  const started = performance.now();
  let done: number | undefined;
  const working = work().then((count) => {
    done = count;
  });
  while (done === undefined) {
    await Promise.race([working, delay(200)]);
    most = Math.max(most, (await api.memory()).rss);
  }
  const seconds = (performance.now() - started) / 1_000;
  return [
    { what, value: done / seconds, unit: '1/s' },
    {
      what: ' memory growth of the API meanwhile',
      value: (most - before) / megabyte,
      unit: 'MB',
      target: { bound: megabytesMax },
    },
  ];
}

async function until({ stage }: Bench, query: string): Promise<void> {
  const deadline = Date.now() + limitMs;
  while ((await stage.database.query<{ done: boolean }>(query)).rows[0]?.done !== true) {
    if (Date.now() > deadline) throw new Error(`not done after ${limitMs} ms: ${query}`);
    await delay(100);
  }
}

async function newToken(bench: Bench, api: Server): Promise<string> {
  await ask(bench, api, 'auth/token/create', { policies: ['default'], display_name: 'tree' });
  const { rows } = await bench.stage.database.query<{ accessor: string }>(
    `select accessor from tokens where display_name = 'token-tree'`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('the token is not there');
  return row.accessor;
}

async function ask(bench: Bench, { ready }: Server, path: string, body: object): Promise<void> {
  const headers = { ...json, ...tokenOf(bench) };
  const answer = await fetch(`${ready.address}/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
}
