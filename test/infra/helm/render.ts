import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { definitions } from '#destinations/index.ts';
import { chartFolder } from '#infra/generate/chart/chart.ts';
import { type Manifest, manifestsOf } from '../kubernetes/schemas.ts';

const root = new URL('../../../', import.meta.url).pathname;
export const chart = join(root, chartFolder);
export const golden = new URL('golden/', import.meta.url).pathname;
const msMax = 60_000;

/** A helm built without a cluster version assumes an old cluster. */
const cluster = ['--kube-version', '1.33.0'];

/** Names of the example values. */
export const examples: readonly string[] = readdirSync(join(chart, 'examples'))
  .map((file) => file.replace(/\.yaml$/, ''))
  .toSorted();

export const exampleFile = (name: string): string => join(chart, 'examples', `${name}.yaml`);

/** The objects that helm renders from these values. @throws Error with helm's message */
export function render(helm: string, files: readonly string[], values: object = {}): readonly Manifest[] {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-helm-'));
  try {
    const own = join(folder, 'values.json');
    writeFileSync(own, JSON.stringify(values));
    const given = [...files, own].flatMap((file) => ['--values', file]);
    return manifestsOf(run(helm, ['template', 'keyferry', chart, '--namespace', 'secrets', ...cluster, ...given]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export const lint = (helm: string, file: string): string =>
  run(helm, ['lint', chart, '--strict', ...cluster, '--values', file]);

function run(helm: string, args: readonly string[]): string {
  return execFileSync(helm, args, { encoding: 'utf8', timeout: msMax, stdio: ['ignore', 'pipe', 'pipe'] });
}

export const componentOf = ({ metadata }: Manifest): string => metadata.labels['app.kubernetes.io/component'] ?? '';

/**
 * The part of an example that is kept: all objects, by kind and name. Workers differ in their type only, so those of the first type and
 * those that the example changes are kept; a new type then changes none of the files. The version is left out for the same reason.
 */
export function goldenText(name: string, manifests: readonly Manifest[]): string {
  const values = readFileSync(exampleFile(name), 'utf8');
  const kept = definitions.filter(({ type }, index) => index === 0 || values.includes(`  ${type}:`));
  const workers = new Set(kept.map(({ type }) => `worker-${type}`));
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // The same digits can also be part of an address.
  const wholeVersion = new RegExp(`(?<![\\d.])${version.replaceAll('.', '\\.')}(?![\\d.])`, 'g');
  return manifests
    .filter((one) => !componentOf(one).startsWith('worker-') || workers.has(componentOf(one)))
    .toSorted((a, b) => `${a.kind}/${a.metadata.name}`.localeCompare(`${b.kind}/${b.metadata.name}`, 'en'))
    .map((one) => stringify(one, { aliasDuplicateObjects: false, lineWidth: 0 }).replaceAll(wholeVersion, '<version>'))
    .join('---\n');
}
