import { randomBytes } from 'node:crypto';
import { chmod, rename, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ask } from '../../support/flow/calls/ask.ts';
import { eventually } from '../../support/flow/open-service.ts';
import { startProgram } from '../../support/flow/processes.ts';
import { ending, testDatabase, testRedis } from '../../support/services.ts';
import { linesOf, newLogPath } from '../audit/log.ts';

const { url, prefix } = testRedis();
const environment = {
  DATABASE_URL: await testDatabase(),
  REDIS_URL: url,
  KEYFERRY_REDIS_PREFIX: prefix,
  KEYFERRY_SEAL_KEY: randomBytes(32).toString('hex'),
  PORT: '0',
};

test('SIGHUP reopens the file of an audit device and ends no process', async () => {
  const started = ending(await startProgram('serve', { environment }));
  const address = started.ready;
  const { body } = await ask({ address, token: '', method: 'POST', path: 'sys/init', body: {} });
  const token = String(body['root_token']);
  const file = newLogPath();
  const device = { type: 'file', options: { file_path: file, mode: '0640' } };
  await ask({ address, token, method: 'POST', path: 'sys/audit/log', body: device });
  const read = (path: string) => ask({ address, token, method: 'GET', path });

  // The file did not move: its mode changes to that of the device only when it is reopened.
  await chmod(file, 0o600);
  process.kill(started.pid, 'SIGHUP');
  await eventually(async () => {
    await read('sys/key-status');
    return ((await stat(file)).mode & 0o777) === 0o640;
  });

  await rename(file, `${file}.1`);
  process.kill(started.pid, 'SIGHUP');
  await eventually(async () => {
    await read('sys/key-status');
    return (await linesOf(file)).length > 0;
  });
  const [before, after] = [await linesOf(`${file}.1`), await linesOf(file)];
  expect(before[0]?.request['path']).toBe('sys/audit/test');
  expect(after.at(-1)).toMatchObject({ type: 'response', request: { path: 'sys/key-status' } });
  expect(await started.end('SIGTERM')).toMatchObject({ code: 0 });
});
