import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { bundle } from '#infra/package/bundle.ts';

test('no function contains the SDK for traces: it is loaded from a layer, in the way that layers are found', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'keyferry-bundle-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { packages, file } = await bundle('functions/sync-cloud-a-sm.ts', join(folder, 'index.cjs'));
  expect([...packages].filter((name) => name.startsWith('@opentelemetry/'))).toEqual(['@opentelemetry/api']);
  const text = await readFile(file, 'utf8');
  for (const name of ['sdk-trace-node', 'core', 'exporter-trace-otlp-proto', 'resources'])
    expect(text).toContain(`require("@opentelemetry/${name}")`);
});
