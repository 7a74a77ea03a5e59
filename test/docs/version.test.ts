import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { apiVersion } from '#system/seal/version.ts';

const read = (path: string): Promise<string> => readFile(resolve(import.meta.dirname, '../..', path), 'utf8');

const sectionsOf = (changelog: string): readonly string[] => changelog.split(/^## /m).slice(1);

test('the package, its lock file, the chart, the images, the changelog and sys/health say one version', async () => {
  const lock: { version: string; packages: Record<string, { version?: string }> } = JSON.parse(
    await read('package-lock.json'),
  );
  const newest = sectionsOf(await read('CHANGELOG.md')).find((section) => !section.startsWith('Unreleased'));
  const versions = {
    package: JSON.parse(await read('package.json')).version,
    lock: lock.version,
    'package in the lock file': lock.packages['']?.version,
    changelog: newest?.split('\n')[0],
    'sys/health': apiVersion,
    chart: /^version: (.*)$/m.exec(await read('infra/helm/keyferry/Chart.yaml'))?.[1],
    image: /image: keyferry:(.*)/.exec(await read('infra/kubernetes/api.yml'))?.[1],
    'image of workers': /image: keyferry:(.*)/.exec(await read('infra/generate/worker.yml'))?.[1],
  };
  for (const [place, version] of Object.entries(versions)) expect(version, place).toBe(apiVersion);
});

test('each version of the changelog has its upgrade notes first', async () => {
  const sections = sectionsOf(await read('CHANGELOG.md'));
  expect(sections.length).toBeGreaterThan(1);
  for (const section of sections)
    expect(/^### (.*)$/m.exec(section)?.[1], section.split('\n')[0]).toBe('Before you upgrade');
});
