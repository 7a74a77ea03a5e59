import { execFile } from 'node:child_process';
import http from 'node:http';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { definitions } from '#destinations/index.ts';
import { listen } from '../../network/servers.ts';
import { patience } from '../../support/measures/patience.ts';

const run = promisify(execFile);

/** The variables that Node, undici and SDKs read. */
const variables = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];

test('a proxy in the environment gets no call of any driver, even with NODE_USE_ENV_PROXY', async () => {
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
  // An unguarded request of the same process does use the proxy.
  expect(control).toBe('by the proxy');
  expect(asked).toEqual(['GET http://control.invalid/']);
});
