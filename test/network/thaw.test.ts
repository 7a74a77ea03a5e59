import http from 'node:http';
import https from 'node:https';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { guardedAgents } from '#network/connection/agents.ts';
import { guardedFetch } from '#network/fetch.ts';
import { strictPolicy } from '../support/network/policy.ts';
import { answering, listen, secure } from './servers.ts';

const limits = { connectMs: 60_000, requestMs: 600_000 };

/** A server that counts its requests, and a function that sends one. */
async function asked(scheme: 'http' | 'https') {
  const { cert, server } =
    scheme === 'https' ? await secure('reached') : { cert: undefined, server: answering('reached') };
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  const port = await listen(server);
  const policy = { ...strictPolicy, allowedIpv4: ['127.0.0.0/8'], allowedPorts: [port], caCertificates: cert };
  return { url: `${scheme}://127.0.0.1:${port}/`, policy, requests: () => requests };
}

type Ask = (url: string, policy: typeof strictPolicy) => Promise<unknown>;

const byAgent: Ask = (url, policy) => {
  const agents = guardedAgents(policy, limits);
  onTestFinished(() => agents.close());
  return new Promise((resolve, reject) => {
    const request = url.startsWith('https')
      ? https.get(url, { agent: agents.https })
      : http.get(url, { agent: agents.http });
    request.once('response', resolve).once('error', reject);
  });
};

const byFetch: Ask = (url, policy) => {
  const guarded = guardedFetch(policy, { ...limits, obtained: undefined });
  onTestFinished(() => guarded.close());
  return guarded.fetch(url);
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => vi.useRealTimers();
});

test.each([
  ['an agent', 'http', byAgent, { code: 'ETIMEDOUT' }],
  ['an agent', 'https', byAgent, { code: 'ETIMEDOUT' }],
  ['a fetch', 'http', byFetch, { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }],
  ['a fetch', 'https', byFetch, { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } }],
] as const)(
  '%s sends nothing over a connection (%s) that a freeze has made late',
  async (_by, scheme, ask, failure) => {
    const { url, policy, requests } = await asked(scheme);
    await ask(url, policy);
    expect(requests()).toBe(1);
    const frozen = ask(url, policy);
    vi.setSystemTime(Date.now() + limits.connectMs);
    await expect(frozen).rejects.toMatchObject(failure);
    expect(requests()).toBe(1);
  },
);
