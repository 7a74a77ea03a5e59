import http from 'node:http';
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { createDefaultHttpClient, createPipelineRequest } from '@azure/core-rest-pipeline';
import { Octokit } from '@octokit/rest';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { Gaxios } from 'gaxios';
import { expect, onTestFinished, test } from 'vitest';
import { blockedMessage } from '#network/blocked.ts';
import { guardedAgents } from '#network/connection/agents.ts';
import { guardedFetch } from '#network/fetch.ts';
import type { NetworkPolicy } from '#network/policy.ts';
import { patience } from '../support/measures/patience.ts';
import { strictPolicy } from '../support/network/policy.ts';
import { listen } from './servers.ts';

type Call = (url: string, policy: NetworkPolicy) => Promise<unknown>;

const agentsOf = (policy: NetworkPolicy) => {
  const agents = guardedAgents(policy, { connectMs: patience.conditionMs });
  onTestFinished(() => agents.close());
  return agents;
};

const fetchOf = (policy: NetworkPolicy) => {
  const guarded = guardedFetch(policy, {
    connectMs: patience.conditionMs,
    requestMs: patience.conditionMs,
    obtained: undefined,
  });
  onTestFinished(() => guarded.close());
  return guarded.fetch;
};

const aws: Call = async (endpoint, policy) => {
  const agents = agentsOf(policy);
  const client = new SecretsManagerClient({
    region: 'eu-central-1',
    endpoint,
    credentials: { accessKeyId: 'id', secretAccessKey: 'key' },
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler({ httpAgent: agents.http, httpsAgent: agents.https }),
  });
  return (await client.send(new GetSecretValueCommand({ SecretId: 'name' }))).Name;
};

const azure: Call = async (url, policy) => {
  const request = createPipelineRequest({ url, allowInsecureConnection: true });
  // Trap: the `agent` option of createPipelineRequest is dropped; the clients' own `agent` option sets it like this.
  request.agent = agentsOf(policy).http;
  const answer = await createDefaultHttpClient().sendRequest(request);
  return JSON.parse(answer.bodyAsText ?? '{}').Name;
};

const gaxios: Call = async (url, policy) => {
  const client = new Gaxios({ fetchImplementation: fetchOf(policy), retry: false });
  return (await client.request<{ Name: string }>({ url })).data.Name;
};

const octokit: Call = async (baseUrl, policy) => {
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const client = new Octokit({ baseUrl, log, request: { fetch: fetchOf(policy) } });
  return (await client.request('GET /probe')).data.Name;
};

test.each([
  ['the AWS client', aws],
  ['the Azure pipeline', azure],
  ['gaxios', gaxios],
  ['octokit', octokit],
])('a refusal is recognised behind the errors of %s, and an open address is reached', async (_name, call) => {
  const port = await listen(
    http.createServer((_request, response) => {
      response.setHeader('content-type', 'application/json').end('{"Name":"reached"}');
    }),
  );
  const policy = { ...strictPolicy, allowedPorts: [port] };
  for (const host of ['127.0.0.1', 'localhost']) {
    const error = await call(`http://${host}:${port}`, policy).catch((cause: unknown) => cause);
    expect(blockedMessage(error)).toContain('allowed_ipv4_addresses opens it');
    expect(await call(`http://${host}:${port}`, { ...policy, allowedIpv4: ['127.0.0.0/8'] })).toBe('reached');
  }
});
