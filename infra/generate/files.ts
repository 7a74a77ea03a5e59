import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartFolder, chartHead, chartWorkers } from './chart/chart.ts';
import { valuesSchema } from './chart/schema.ts';
import { type Described, describeTypes } from './described.ts';
import { budgets, calls, lateWrites, pageLinks, pages, systems } from './documents.ts';
import { replaceMarked } from './marked.ts';
import { composeWorkers, kubernetesWorker, scrapeTargets } from './processes.ts';
import { sudoPaths } from './sudo.ts';

export const root = new URL('../..', import.meta.url).pathname;
export const manifestFolder = 'infra/kubernetes';

/** Parts of files that are written by hand otherwise: the file, the name of the part, its content. */
const parts: readonly (readonly [string, string, (types: readonly Described[]) => string])[] = [
  ['docker-compose.yml', 'workers', composeWorkers],
  ['infra/observability/prometheus/prometheus.yml', 'workers', scrapeTargets],
  [`${chartFolder}/values.yaml`, 'workers', chartWorkers],
  ['README.md', 'destination types', systems],
  ['docs/destinations/README.md', 'destination types', pages],
  ['docs/destinations/README.md', 'late writes', lateWrites],
  ['docs/destinations/README.md', 'calls', calls],
  ['docs/operating.md', 'destination pages', pageLinks],
  ['docs/scaling.md', 'budgets', budgets],
  ['docs/tokens-and-policies.md', 'sudo paths', sudoPaths],
];

/** What the list of destinations and the path table make of the project: texts of whole files by their paths from the root. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const types = await describeTypes(root);
  const files = new Map<string, string>();
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
