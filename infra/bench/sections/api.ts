import { fillBareRows } from '../baseline/rows.ts';
import type { Figure } from '../measure/figure.ts';
import { addressed, measureHttp, type Server } from '../measure/http-load.ts';
import { times } from '../measure/rounds.ts';
import type { Bench, Section } from '../section.ts';

const secretCount = 1_000;
const data = { user: 'app', password: 'correct horse battery staple' };
const json = { 'content-type': 'application/json' };

/** KV v2 through the real server, compared with a bare route with one statement, on one PostgreSQL that syncs each commit. */
export const apiSection: Section = {
  name: 'api',
  title: 'Reads and writes of secrets over HTTP',
  async measure(bench) {
    const { stage } = bench;
    await times(secretCount, 32, (index) => stage.write(`secret/data/bench/${index}`, { data }));
    await fillBareRows(stage.database, secretCount, JSON.stringify(data));
    const api = await stage.start('api', addressed);
    const bare = await stage.start('bare-api', addressed, { poolSize: 10 });
    try {
      return [...(await reads(bench, api, bare)), ...(await writes(bench, api, bare))];
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
  },
};

function reads(bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> {
  const ours = { path: '/v1/secret/data/bench/', headers: tokenOf(bench) };
  return measureHttp(bench, {
    count: secretCount,
    what: 'KV v2 reads; bare Fastify: one SELECT',
    share: 0.7,
    ours: { server: api, load: { method: 'GET', ...ours } },
    bare: { server: bare, load: { method: 'GET', path: '/read/bench/', headers: {} } },
  });
}

function writes(bench: Bench, api: Server, bare: Server): Promise<readonly Figure[]> {
  const path = '/v1/secret/data/bench/';
  const headers = { ...json, ...tokenOf(bench) };
  return measureHttp(bench, {
    count: secretCount,
    what: 'KV v2 writes; bare Fastify: one INSERT',
    share: 0.65,
    ours: { server: api, load: { method: 'POST', path, headers, body: JSON.stringify({ data }) } },
    bare: { server: bare, load: { method: 'POST', path: '/write/bench/', headers: json, body: JSON.stringify(data) } },
  });
}

const tokenOf = ({ stage }: Bench) => ({ 'x-service-token': stage.rootToken });
