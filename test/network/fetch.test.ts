import http from 'node:http';
import { createServer } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isBlocked } from '#network/blocked.ts';
import { guardedFetch } from '#network/fetch.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { patience } from '../support/measures/patience.ts';
import { strictPolicy } from '../support/network/policy.ts';
import { answering, listen, portOf, secure } from './servers.ts';

const loopback = (...ports: number[]): NetworkPolicy => ({
  ...strictPolicy,
  allowedIpv4: ['127.0.0.0/8'],
  allowedPorts: ports,
});

function open(policy: NetworkPolicy, timeouts = {}) {
  const guarded = guardedFetch(policy, {
    connectMs: patience.conditionMs,
    requestMs: patience.conditionMs,
    obtained: undefined,
    ...timeouts,
  });
  onTestFinished(() => guarded.close());
  return guarded.fetch;
}

const failure = (answer: Promise<Response>): Promise<unknown> =>
  answer.then(
    () => 'it connected',
    (error: unknown) => error,
  );

test.each(['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '127.1', '[::ffff:127.0.0.1]', '0.0.0.0', '[::1]'])(
  'the URL host %s reaches no loopback server under the strict policy',
  async (host) => {
    const port = await listen(answering('reached'));
    const error = await failure(open({ ...strictPolicy, allowedPorts: [port] })(`http://${host}:${port}/`));
    expect(isBlocked(error)).toBe(true);
  },
);

test('a port that is not open is refused', async () => {
  const port = await listen(answering('reached'));
  const policy = { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'] };
  expect(isBlocked(await failure(open(policy)(`http://127.0.0.1:${port}/`)))).toBe(true);
});

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'what the allow lists name is reached through the host %s',
  async (host) => {
    const port = await listen(answering('reached'));
    const response = await open(loopback(port))(`http://${host}:${port}/`);
    expect(await response.text()).toBe('reached');
  },
);

test('a redirect to a refused address is not followed', async () => {
  const inner = await listen(answering('metadata'));
  const port = await listen(
    http.createServer((_request, response) => {
      response.writeHead(307, { location: `http://127.0.0.1:${inner}/` }).end();
    }),
  );
  expect(isBlocked(await failure(open(loopback(port))(`http://127.0.0.1:${port}/`)))).toBe(true);
  expect(await (await open(loopback(port, inner))(`http://127.0.0.1:${port}/`)).text()).toBe('metadata');
});

test('TLS connections are guarded too, and the certificate of the policy is trusted', async () => {
  const { cert, server } = await secure('sealed');
  const port = await listen(server);
  const url = `https://localhost:${port}/`;
  expect(isBlocked(await failure(open({ ...strictPolicy, allowedPorts: [port] })(url)))).toBe(true);
  expect(await failure(open(loopback(port))(url))).toMatchObject({ cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  expect(await (await open({ ...loopback(port), caCertificates: cert })(url)).text()).toBe('sealed');
});

test('a request arrives complete, whether given as a Request or as an init', async () => {
  const port = await listen(
    http.createServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      response.end(JSON.stringify([request.method, request.headers['x-mark'], body]));
    }),
  );
  const url = `http://127.0.0.1:${port}/`;
  const init = { method: 'POST', headers: new Headers({ 'x-mark': 'm' }), body: 'payload' };
  const fetch = open(loopback(port));
  for (const answer of [await fetch(new Request(url, init)), await fetch(url, init), await fetch(new URL(url), init)]) {
    expect(await answer.json()).toEqual(['POST', 'm', 'payload']);
  }
  await expect(fetch(url, { method: 'POST', body: new FormData() })).rejects.toThrow('does not accept FormData');
});

test('a missing answer fails with TimeoutError, even when the caller passed a signal', async () => {
  const port = await listen(http.createServer(() => undefined));
  const fetch = open(loopback(port), { requestMs: 100 });
  expect(await failure(fetch(`http://127.0.0.1:${port}/`))).toMatchObject({ name: 'TimeoutError' });
  const { signal } = new AbortController();
  expect(await failure(fetch(`http://127.0.0.1:${port}/`, { signal }))).toMatchObject({ name: 'TimeoutError' });
});

test('a body that never ends fails with TimeoutError', async () => {
  const port = await listen(http.createServer((_request, response) => void response.writeHead(200).write('part')));
  const answer = open(loopback(port), { requestMs: 100 })(`http://127.0.0.1:${port}/`);
  expect(await failure(answer)).toMatchObject({ name: 'TimeoutError' });
});

test('an aborted signal ends the fetch', async () => {
  const port = await listen(http.createServer(() => undefined));
  const controller = new AbortController();
  const answer = failure(open(loopback(port))(`http://127.0.0.1:${port}/`, { signal: controller.signal }));
  controller.abort();
  expect(await answer).toMatchObject({ name: 'AbortError' });
});

test('a TLS handshake that never ends fails within connectMs', async () => {
  const silent = createServer(() => undefined);
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void silent.close());
  const port = portOf(silent.address());
  const error = await failure(open(loopback(port), { connectMs: 100 })(`https://127.0.0.1:${port}/`));
  expect(error).toMatchObject({ cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } });
});

test('proxy variables of the environment are not honoured', async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
  const port = await listen(answering('reached'));
  expect(await (await open(loopback(port))(`http://127.0.0.1:${port}/`)).text()).toBe('reached');
});
