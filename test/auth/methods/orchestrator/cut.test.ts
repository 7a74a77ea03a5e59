import { expect, test } from 'vitest';
import { openRemote } from '#auth/login/remote/remote.ts';
import { readBounds } from '#network/bounds.ts';
import { startHttps } from '#test/support/auth/https-server.ts';
import { patience } from '#test/support/measures/patience.ts';

/** A server that closes the connection of the first calls. */
async function cutting(times: number) {
  let calls = 0;
  const server = await startHttps((request, response) => {
    calls += 1;
    if (calls <= times) request.socket.destroy();
    else request.resume().once('end', () => response.writeHead(200).end('{"well":true}'));
  });
  const remote = openRemote({ bounds: readBounds('all'), requestMs: patience.conditionMs });
  const question = { url: new URL(`${server.address}/x`), caCertificates: server.certificate, body: { token: 'x' } };
  return {
    ask: () => remote.ask(question),
    calls: () => calls,
    async close() {
      await remote.close();
      server.close();
    },
  };
}

test('a call whose connection is closed is repeated once', async () => {
  const once = await cutting(1);
  expect(await once.ask()).toEqual({ status: 200, json: { well: true } });
  expect(once.calls()).toBe(2);
  await once.close();
  const always = await cutting(100);
  await expect(always.ask()).rejects.toThrow('the connection to it failed');
  expect(always.calls()).toBe(2);
  await always.close();
});

test('a cancelled call is not a failure of the connection', async () => {
  const gone = new AbortController();
  const server = await startHttps(() => gone.abort());
  const remote = openRemote({ bounds: readBounds('all'), requestMs: patience.conditionMs });
  const question = { url: new URL(server.address), caCertificates: server.certificate, signal: gone.signal };
  await expect(remote.ask(question)).rejects.toThrow('the request was cancelled');
  await remote.close();
  server.close();
});
