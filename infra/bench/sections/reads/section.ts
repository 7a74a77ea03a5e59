import { fillBareRows } from '../../baseline/rows.ts';
import type { Figure } from '../../measure/figure.ts';
import { addressed, type Server } from '../../measure/http-load.ts';
import { compare, p95 } from '../../measure/rounds.ts';
import type { Bench, Section } from '../../section.ts';
import { counted } from '../../workspaces/statements.ts';
import { measureBulk } from './bulk.ts';
import { destinationOf, fillRecords, namespace, type } from './fill.ts';

/** Above this number, a read may take twice as long. */
const fewRecords = 1_000_000;
const bulkMax = 100_000;
const quickBulkMax = 5_000;
const limitMs = 300_000;
const tables = /\b(associations|destinations|destination_results|markings|sync_\w+)\b/;

interface Read {
  readonly what: string;
  readonly path: string;
  readonly msMax: number;
  readonly statementsMax: number;
}

const page = { msMax: 30, statementsMax: 2 };
const ofDestination = `type=${type}&name=${destinationOf(20)}`;

const readsOf = (id: string): readonly Read[] => [
  { what: 'Records, first page', path: 'sys/sync/records', ...page },
  { what: 'Records in a namespace', path: `${namespace}/sys/sync/records`, ...page },
  { what: 'Records that failed', path: 'sys/sync/records?status=CLIENT_SIDE_ERROR,EXTERNAL_SERVICE_ERROR', ...page },
  { what: 'Records that wait', path: 'sys/sync/records?status=PENDING', ...page },
  { what: 'Records in line', path: 'sys/sync/records?status=SYNCED', ...page },
  { what: 'Records with a kind of error', path: 'sys/sync/records?kind=timeout,name', ...page },
  { what: 'Records of a destination', path: `sys/sync/records?${ofDestination}`, ...page },
  { what: 'Records below a prefix', path: 'sys/sync/records?mount=secret&prefix=reads/a', ...page },
  { what: 'Records with an unconfirmed call', path: 'sys/sync/records?unconfirmed=true', ...page },
  {
    what: 'Associations of a namespace, a page',
    path: `${namespace}/sys/sync/associations?list=true&limit=100`,
    ...page,
  },
  { what: 'History of a record', path: `sys/sync/records/${id}/history`, ...page },
  { what: 'Samples of an hour', path: 'sys/sync/samples', ...page },
  { what: 'Samples of a day', path: 'sys/sync/samples?from=-24h', ...page },
  { what: 'Overview', path: 'sys/sync/overview', msMax: 50, statementsMax: 3 },
  { what: 'Destinations', path: 'sys/sync/destinations?list=true', ...page },
  { what: 'A destination', path: `sys/sync/destinations/${type}/${destinationOf(20)}`, msMax: 50, statementsMax: 5 },
];

/** What operators read over HTTP, one request after another, compared with a bare route in the same rounds. */
export const readsSection: Section = {
  name: 'reads',
  title: 'Reads of operators, p95, and a batch (--records <n>)',
  async measure(bench) {
    const { stage } = bench;
    const { quick, records: count } = bench;
    const { id } = await fillRecords(stage, count, bench.report);
    await fillBareRows(stage.database, 1, '{}');
    const api = await stage.start('api', addressed);
    const bare = await stage.start('bare-api', addressed, { poolSize: 10 });
    const figures: Figure[] = [];
    try {
      const factor = count > fewRecords ? 2 : 1;
      for (const read of readsOf(id)) {
        bench.report(read.what);
        figures.push(await timeOf(bench, api, bare, { ...read, msMax: read.msMax * factor }));
        figures.push(await statementsOf(bench, read));
      }
    } finally {
      await Promise.all([api.end(), bare.end()]);
    }
    bench.report('a batch');
    return [...figures, ...(await measureBulk(bench, Math.min(count, quick ? quickBulkMax : bulkMax)))];
  },
};

async function timeOf(bench: Bench, api: Server, bare: Server, { what, path, msMax }: Read): Promise<Figure> {
  const [rounds, count] = bench.quick ? [1, 20] : [3, 100];
  const ask = (url: string) => async () => {
    const answer = await fetch(url, { headers: { 'x-service-token': bench.stage.rootToken } });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${url}: ${answer.status} ${text}`);
  };
  const [ours, theirs] = [ask(`${api.ready.address}/v1/${path}`), ask(`${bare.ready.address}/read/bench/0`)];
  // The first requests prepare statements and warm up the compiler.
  for (const work of [ours, theirs]) await p95(10, work);
  const { value, ...compared } = await compare(
    rounds,
    limitMs,
    () => p95(count, ours),
    () => p95(count, theirs),
  );
  return { what: `${what}; bare: one SELECT`, value, unit: 'ms', compared, target: { bound: msMax } };
}

async function statementsOf({ stage }: Bench, { path, statementsMax }: Read): Promise<Figure> {
  const ask = () =>
    stage.api.inject({ method: 'GET', url: `/v1/${path}`, headers: { 'x-service-token': stage.rootToken } });
  const { answer, statements } = await counted(ask, tables);
  if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${answer.payload}`);
  return { what: '  statements', value: statements, unit: '', target: { bound: statementsMax } };
}
