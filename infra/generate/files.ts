import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartFolder, chartHead, chartWorkers } from './chart/chart.ts';
import { valuesSchema } from './chart/schema.ts';
import { type Described, describeTypes } from './described.ts';
import { budgets, calls, lateWrites, pageLinks, pages, systems } from './documents.ts';
import { replaceMarked } from './marked.ts';
import { composeWorkers, kubernetesWorker, scrapeTargets } from './processes.ts';
import { tableFiles } from './schema/tables.ts';
import { settingsTable } from './settings/table.ts';
import { commandTable, exitTable, variableTable } from './tables/commands.ts';
import { stages } from './tables/stages.ts';
import { sudoPaths } from './tables/sudo.ts';

export const root = new URL('../..', import.meta.url).pathname;
export const manifestFolder = 'infra/kubernetes';

/** Generated parts of handwritten files: the file, the name of the part, its content. */
const parts: readonly (readonly [string, string, (types: readonly Described[]) => string])[] = [
  ['docker-compose.yml', 'workers', composeWorkers],
  ['infra/observability/prometheus/prometheus.yml', 'workers', scrapeTargets],
  [`${chartFolder}/values.yaml`, 'workers', chartWorkers],
  ['README.md', 'destination types', systems],
  ['docs/destinations/README.md', 'destination types', pages],
  ['docs/destinations/README.md', 'late writes', lateWrites],
  ['docs/destinations/README.md', 'calls', calls],
  ['docs/operating/syncs.md', 'destination pages', pageLinks],
  ['docs/operating/scaling.md', 'budgets', budgets],
  ['docs/access/tokens-and-policies.md', 'sudo paths', sudoPaths],
  ['docs/architecture.md', 'stages', stages],
  ['docs/command-line.md', 'commands', commandTable],
  ['docs/command-line.md', 'variables', variableTable],
  ['docs/command-line.md', 'exit codes', exitTable],
  ['docs/configuration.md', 'settings of the store', () => settingsTable('store')],
  ['docs/configuration.md', 'settings of the seal', () => settingsTable('seal')],
  ['docs/configuration.md', 'settings of the API', () => settingsTable('api')],
  ['docs/configuration.md', 'settings of the sync', () => settingsTable('sync')],
  ['docs/configuration.md', 'settings of processes', () => settingsTable('process')],
  ['docs/configuration.md', 'settings of agents', () => settingsTable('agent')],
];

/**
 * The files that are generated from the list of destinations, the path table and the migrations: whole texts by their paths from the
 * root. Runs the migrations in the empty database of `databaseUrl`.
 */
export async function generatedFiles(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const types = await describeTypes(root);
  const files = new Map(await tableFiles(databaseUrl));
  const template = await read('infra/generate/worker.yml');
  for (const { type } of types) files.set(manifestOf(type), kubernetesWorker(template, type));
  files.set(`${chartFolder}/Chart.yaml`, await chartHead(root));
  files.set(`${chartFolder}/values.schema.json`, valuesSchema(types));
  for (const [path, name, content] of parts)
    files.set(path, replaceMarked(files.get(path) ?? (await read(path)), name, content(types)));
  return files;
}

const manifestOf = (type: string): string => `${manifestFolder}/worker-${type}.yml`;

const read = (path: string): Promise<string> => readFile(join(root, path), 'utf8');
