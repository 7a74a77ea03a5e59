import { type Profiler, Session } from 'node:inspector/promises';
import { sql } from 'kysely';
import { type Api, openApi, openWorkers } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { definitions } from '#destinations/index.ts';
import { loadDriver, loadFake } from '#destinations/load.ts';
import { ApiClient } from '#infra/demo/client.ts';
import { openMetrics } from '#telemetry/metrics/open.ts';

// A separate process, because a test runner wraps exports, and each access to an export would count as a call.
// It writes a JSON array of the files of `lib/` that take part in every write of a secret and its sync to a destination.

const root = new URL('../../../', import.meta.url).href;
const [type = ''] = process.argv.slice(2);
const definition = definitions.find((one) => one.type === type);
if (definition === undefined) throw new Error(`no destination type ${type}`);

const app = { config: readConfig(process.env), log: silentLog, metrics: openMetrics({ process: false }) };
const fake = await (await loadFake(type))();
const api = await openApi(app);
const token = (await api.prepareForDevelopment(undefined)) ?? '';
const workers = await openWorkers(app, [{ definition, openDriver: await loadDriver(type) }]);
const { port } = await api.listen(0, '127.0.0.1');
const client = new ApiClient(`http://127.0.0.1:${port}`, token);

const destination = `sys/sync/destinations/${type}/place`;
await client.write(destination, fake.destination);
await client.write('secret/data/walker', { data: { password: 'first' } });
await client.write(`${destination}/associations/set`, { mount: 'secret', secret_name: 'walker' });
// The first walk opens connections, fills caches and logs in.
await writeAndWait('second');

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await session.post('Profiler.takePreciseCoverage');
const walks: (readonly string[])[] = [];
for (const password of ['third', 'fourth', 'fifth', 'sixth', 'seventh']) {
  await writeAndWait(password);
  walks.push(filesCalled((await session.post('Profiler.takePreciseCoverage')).result));
}
// Files that only timers use appear in some walks only.
const [first = [], ...others] = walks;
const always = first.filter((path) => others.every((walk) => walk.includes(path)));

process.stdout.write(`${JSON.stringify(always)}\n`);
await workers.close();
await api.close();
await fake.close();

/** Writes a version of the secret and waits until its status shows that it has been synced. */
async function writeAndWait(password: string): Promise<void> {
  await client.write('secret/data/walker', { data: { password } });
  while (!(await isSynced(api.store))) await new Promise((resolve) => setTimeout(resolve, 15));
}

async function isSynced({ db }: Api['store']): Promise<boolean> {
  const { rows } = await sql<{ synced: boolean }>`
    select bool_and(generation = observed_generation and status = 'SYNCED') as synced from associations`.execute(db);
  return rows[0]?.synced === true;
}

function filesCalled(scripts: readonly Profiler.ScriptCoverage[]): readonly string[] {
  return scripts
    .filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0))
    .flatMap(({ url }) => (url.startsWith(`${root}lib/`) ? [url.slice(root.length)] : []))
    .filter((path) => !/\/fake(\/|\.ts$)/.test(path))
    .sort();
}
