import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openApi } from '#app.ts';
import { readConfig } from '#core/config.ts';
import { silentLog } from '#core/log/log.ts';
import { patience } from '../support/measures/patience.ts';
import { ending, testDatabase, testRedis } from '../support/services.ts';
import { startCollector } from '../telemetry/traces/otlp.ts';

const root = new URL('../../', import.meta.url).pathname;

test('each invocation of a function ends with a line of metrics, and its spans are sent before it is frozen', async () => {
  const collector = ending(await startCollector());
  const { url, prefix } = testRedis();
  const environment = {
    DATABASE_URL: await testDatabase(),
    REDIS_URL: url,
    KEYFERRY_REDIS_PREFIX: prefix,
    KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
  };
  const api = ending(
    await openApi({ config: readConfig({ ...environment, OTEL_EXPORTER_OTLP_ENDPOINT: '' }), log: silentLog }),
  );
  await api.prepareForDevelopment(undefined);
  // SIGKILL comes without warning, like the freezing of a function.
  const program = `import { handler } from './functions/sweep.ts'; await handler(); await handler(); process.kill(process.pid, 'SIGKILL');`;
  const args = ['--input-type=module', '--eval', program];
  const env = { PATH: process.env['PATH'], ...environment };
  const { stderr } = await promisify(execFile)(process.execPath, args, {
    cwd: root,
    env,
    timeout: patience.conditionMs,
  }).catch((ended: { stderr: string }) => ended);
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const embedded = lines.filter((line) => '_aws' in line);
  expect(embedded, stderr).toHaveLength(2);
  for (const line of embedded) {
    expect(line).toMatchObject({ function: 'sweep', sweep_rounds_done: 1, duration: expect.any(Number) });
    expect(line._aws.CloudWatchMetrics[0]).toMatchObject({ Namespace: 'Keyferry', Dimensions: [['function']] });
  }
  expect(collector.spans.filter(({ name }) => name === 'sweep')).toHaveLength(2);
});
