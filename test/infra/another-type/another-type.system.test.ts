import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { addType, copyProject, type ProjectCopy, removeOtherWorkers } from './project.ts';

// It runs suites of the project in another process, and packages functions.
vi.setConfig({ testTimeout: 600_000 });

let project: ProjectCopy;
let generated = '';

beforeAll(async () => {
  project = await copyProject();
  await addType(project);
  generated = await project.run('infra/generate/main.ts');
});
afterAll(() => project.remove());

test('another destination type is generated once into every file that names the types', async () => {
  expect(generated.trim().split('\n').toSorted()).toEqual(
    [
      'README.md',
      'docker-compose.yml',
      'docs/destinations/README.md',
      'docs/operating/scaling.md',
      'docs/operating/syncs.md',
      'infra/helm/keyferry/values.schema.json',
      'infra/helm/keyferry/values.yaml',
      'infra/kubernetes/worker-key-shelf.yml',
      'infra/observability/prometheus/prometheus.yml',
    ].map((path) => `wrote ${path}`),
  );
  expect(await project.run('infra/generate/main.ts')).toBe('');
  expect(await project.read('docker-compose.yml')).toContain('  worker-key-shelf:\n');
  expect(await project.read('infra/kubernetes/worker-key-shelf.yml')).toContain(
    'args: [infra/commands/worker.ts, --type, key-shelf]',
  );
  expect(await project.read('infra/helm/keyferry/values.yaml')).toContain('\n  key-shelf: {}\n');
  expect(await project.read('docs/destinations/README.md')).toContain(
    '| `key-shelf` | `shelf` | Key Shelf | [page](key-shelf.md) |',
  );
});

test('it keeps the rules of the project, which deploys and documents it', async () => {
  await runTests('', 'architecture.test', 'docs.test', 'infra/generated', 'infra/kubernetes', 'infra/containers');
});

test('it keeps the contract of a destination, and help, OpenAPI and the vocabulary have it', async () => {
  const contract = [
    'definition',
    'fake',
    'driver/driver',
    'ownership/claims',
    'driver/recorded',
    'ownership/untouched',
  ];
  await runTests(
    'key-shelf|names the type|has its alias|is copied, and removed',
    'infra/another-type/taken-up',
    ...contract.map((name) => `contract/${name}`),
  );
});

test('it is packaged as a separate function', async () => {
  await removeOtherWorkers(project);
  const said = await project.run('infra/package/main.ts', 'dev');
  expect(said).toMatch(/^sync-key-shelf /m);
  expect(said).toContain('no bundle contains the SDK or the driver of another type');
  expect((await stat(join(project.root, '.build/functions/sync-key-shelf.zip'))).size).toBeGreaterThan(10_000);
  expect(await project.read('.build/serverless/cloudformation-template-update-stack.json')).toContain(
    'SyncKeyShelfDoorbell',
  );
});

/** Runs some suites of the copy, or those of their tests whose names match. */
async function runTests(names: string, ...files: readonly string[]): Promise<void> {
  const named = names === '' ? [] : ['-t', names];
  const said = await project.run(
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config',
    'test/vitest.config.ts',
    ...named,
    ...files,
  );
  expect(said).toMatch(/^\s*Tests\s+\d+ passed/m);
}
