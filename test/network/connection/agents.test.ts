import http from 'node:http';
import https from 'node:https';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { BlockedConnection, isBlocked } from '#network/blocked.ts';
import { guardedAgents } from '#network/connection/agents.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { patience } from '../../support/measures/patience.ts';
import { strictPolicy } from '../../support/network/policy.ts';
import { answering, listen, portOf, secure } from '../servers.ts';

const loopback = (port: number): NetworkPolicy => ({
  ...strictPolicy,
  allowedIpv4: ['127.0.0.0/8'],
  allowedPorts: [port],
});

function open(policy: NetworkPolicy, limit: number = patience.conditionMs) {
  const agents = guardedAgents(policy, { connectMs: limit });
  onTestFinished(() => agents.close());
  return agents;
}

/** The body, or the error that arrived as the request's `error` event. */
function get(target: string | http.RequestOptions, policy: NetworkPolicy, limit?: number): Promise<string | Error> {
  const agents = open(policy, limit);
  const tls = typeof target === 'string' && target.startsWith('https:');
  return tls ? send(https.get(target, { agent: agents.https })) : send(withAgent(target, agents.http));
}

const withAgent = (target: string | http.RequestOptions, agent: http.Agent) =>
  typeof target === 'string' ? http.get(target, { agent }) : http.get({ ...target, agent });

function send(request: http.ClientRequest): Promise<string | Error> {
  return new Promise((answer) => {
    request.on('error', answer).on('response', async (response) => {
      answer(Buffer.concat(await response.toArray()).toString());
    });
  });
}

const errorOf = (outcome: string | Error): Error => {
  if (typeof outcome === 'string') throw new Error(`it connected: ${outcome}`);
  return outcome;
};

afterEach(() => vi.unstubAllEnvs());

test.each([
  '127.0.0.1',
  'localhost',
  '2130706433',
  '0x7f.1',
  '0177.0.0.1',
  '127.1',
  '[::ffff:127.0.0.1]',
  '0.0.0.0',
  '0',
])('the URL host %s reaches no loopback server under the strict policy', async (host) => {
  const port = await listen(answering('reached'));
  const error = errorOf(await get(`http://${host}:${port}/`, { ...strictPolicy, allowedPorts: [port] }));
  expect(isBlocked(error)).toBe(true);
  expect(error.message).toContain('allowed_ipv4_addresses opens it');
});

test('the loopback address of IPv6 is refused as a literal', async () => {
  const port = await listen(answering('reached'), '::1');
  const error = errorOf(await get(`http://[::1]:${port}/`, { ...strictPolicy, allowedPorts: [port] }));
  expect(error.message).toContain('::1 is in ::1/128 (loopback) (allowed_ipv6_addresses opens it)');
});

test.each(['0x7f.1', '2130706433', '127.1'])(
  'the odd form %s given without a URL is resolved and refused',
  async (host) => {
    const port = await listen(answering('reached'));
    expect(isBlocked(await get({ host, port }, { ...strictPolicy, allowedPorts: [port] }))).toBe(true);
  },
);

test('a port that is not open is refused before the name is resolved', async () => {
  const error = errorOf(await get('http://no-such-name.invalid:8200/', strictPolicy));
  expect(error).toBeInstanceOf(BlockedConnection);
  expect(error.message).toContain('no-such-name.invalid port 8200: port 8200 is neither 80 nor 443');
});

test.each(['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433'])(
  'what the allow lists name is reached through the host %s',
  async (host) => {
    const port = await listen(answering('reached'));
    expect(await get(`http://${host}:${port}/`, loopback(port))).toBe('reached');
  },
);

test('a disabled guard lets everything through but Unix sockets', async () => {
  const port = await listen(answering('reached'));
  const disabled = { ...strictPolicy, disabled: true };
  expect(await get(`http://127.0.0.1:${port}/`, disabled)).toBe('reached');
  const error = errorOf(await get({ socketPath: '/tmp/keyferry-no-such.sock' }, disabled));
  expect(error.message).toContain('Unix sockets are never used');
});

test('a name with several addresses is reached at an allowed one', async () => {
  const port = await listen(answering('reached'));
  // localhost is ::1 and 127.0.0.1 where both families exist; only the second is open here.
  expect(await get(`http://localhost:${port}/`, loopback(port))).toBe('reached');
});

test('TLS connections are guarded too, and the certificate of the policy is trusted', async () => {
  const { cert, server } = await secure('sealed');
  const port = await listen(server);
  const url = `https://localhost:${port}/`;
  expect(isBlocked(await get(url, { ...strictPolicy, allowedPorts: [port] }))).toBe(true);
  expect(isBlocked(await get(`https://127.0.0.1:${port}/`, strictPolicy))).toBe(true);
  expect(errorOf(await get(url, loopback(port)))).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  expect(await get(url, { ...loopback(port), caCertificates: cert })).toBe('sealed');
  expect(await get(`https://127.0.0.1:${port}/`, { ...loopback(port), caCertificates: cert })).toBe('sealed');
});

test('a TLS handshake that never ends fails within connectMs', async () => {
  const { createServer } = await import('node:net');
  const silent = createServer(() => undefined);
  await new Promise<void>((ready) => silent.listen(0, '127.0.0.1', ready));
  onTestFinished(() => void silent.close());
  const port = portOf(silent.address());
  const error = errorOf(await get(`https://127.0.0.1:${port}/`, loopback(port), 100));
  expect(error).toMatchObject({
    code: 'ETIMEDOUT',
    message: `connecting to 127.0.0.1 port ${port} took longer than 100 ms`,
  });
});

test('proxy variables of the environment are not honoured', async () => {
  vi.stubEnv('NODE_USE_ENV_PROXY', '1');
  vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
  vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
  const port = await listen(answering('reached'));
  expect(await get(`http://127.0.0.1:${port}/`, loopback(port))).toBe('reached');
});

test('a connection stays open for the next request and is used by its own agents only', async () => {
  let connections = 0;
  const server = answering('reached').on('connection', () => {
    connections += 1;
  });
  const port = await listen(server);
  const url = `http://127.0.0.1:${port}/`;
  const agents = open(loopback(port));
  await send(http.get(url, { agent: agents.http }));
  await send(http.get(url, { agent: agents.http }));
  expect(connections).toBe(1);
  expect(isBlocked(await get(url, strictPolicy))).toBe(true);
  expect(await get(url, loopback(port))).toBe('reached');
  expect(connections).toBe(2);
});

test('without a callback, the refusal is thrown', () => {
  const agents = open(strictPolicy);
  expect(() => agents.http.createConnection({ host: '127.0.0.1', port: 80 })).toThrow(BlockedConnection);
  expect(() => agents.https.createConnection({ host: '127.0.0.1', port: 443 })).toThrow(BlockedConnection);
});
