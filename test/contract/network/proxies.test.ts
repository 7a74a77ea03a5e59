import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { definitions } from '../../../lib/destinations/index.ts';
import { listen } from '../../network/servers.ts';
import { patience } from '../../support/patience.ts';

const run = promisify(execFile);

/** Node, undici and SDKs know these. */
const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

test('a proxy that the environment names gets no call of any driver, also with NODE_USE_ENV_PROXY', async () => {
  const asked: string[] = [];
  const proxy = http.createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.end('by the proxy');
  });
  proxy.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  const port = await listen(proxy);
  const named = Object.fromEntries(variables.map((variable) => [variable, `http://127.0.0.1:${port}`]));
  const env = { ...process.env, ...named, NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' };
  const child = new URL('proxied.ts', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [child], { env, timeout: patience.conditionMs });

  const { done, control } = JSON.parse(stdout);
  expect(done).toEqual(expect.arrayContaining(definitions.map(({ type }) => `${type} destination`)));
  // The same process would go by the proxy where nothing is guarded.
  expect(control).toBe('by the proxy');
  expect(asked).toEqual(['GET http://control.invalid/']);
});
