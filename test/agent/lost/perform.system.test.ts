import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { runAgent } from '#agent/agent.ts';
import { type PerformParts, perform } from '#agent/job/perform.ts';
import { readAllowed } from '#agent/run/apart/network/guard.ts';
import { silentLog } from '#core/log/log.ts';
import { standIn } from '../agent-of.ts';
import { confinedRun } from '../apart/confined.ts';
import { documentText, materialText, scriptedService } from './scripted-service.ts';

const extend = 'POST /agent-jobs/plan-x/actions/extend';
const finish = 'POST /agent-jobs/plan-x/actions/finish';
const log = 'POST /agent-jobs/plan-x/log';

/** A service with one job; `others` answers what it says nothing about. */
const oneJob = (others: (request: string, response: ServerResponse, body: string) => void) =>
  scriptedService((request, response, body) => {
    if (request === 'GET /agent-jobs/plan-x') response.end(materialText);
    else if (request === extend) response.end(documentText('plan-x', { 'cancel-requested': false }));
    else others(request, response, body);
  });

async function performing(service: Awaited<ReturnType<typeof scriptedService>>, folder?: string) {
  const { parent, limits } = await confinedRun();
  const { connection } = service;
  const settings = {
    ...{ ...connection, name: 'tested', version: '1', engines: undefined, folder: folder ?? parent, hiddenFiles: [] },
    ...{
      ...limits,
      healthFile: undefined,
      isolation: 'auto' as const,
      network: 'guarded' as const,
      networkAllowed: readAllowed(undefined),
      environment: { PATH: `${standIn}:/usr/bin:/bin` },
    },
  };
  const parts: PerformParts = {
    settings,
    engines: [],
    confinement: limits.confinement,
    log: silentLog,
    answered: async () => {},
    interruption: new AbortController().signal,
  };
  const job = { id: 'plan-x', runId: 'run-x', part: 'plan', connection } as const;
  return { settings, done: perform(parts, job) };
}

test('a job whose log cannot be opened is given up: its lease is extended no longer', async () => {
  const service = await oneJob((_request, response) => {
    response.statusCode = 422;
    response.end('{}');
  });
  const { done } = await performing(service);
  await expect(done).rejects.toThrow('was answered with 422');
  // The interval of extensions, and more.
  await delay(4_000);
  expect(service.requests.filter((one) => one === extend)).toHaveLength(1);
});

test('a folder that cannot be made is reported as the reason', async () => {
  const said: string[] = [];
  const service = await oneJob((request, response, body) => {
    said.push(`${request} ${body}`);
    response.end(request === log ? documentText('plan-x', { 'log-bytes': 0 }) : '');
  });
  const { done } = await performing(service, '/no/such/folder');
  await done;
  expect(said.find((one) => one.startsWith(log) && one.includes('ENOENT'))).toBeDefined();
  expect(said.at(-1)).toContain(`${finish} {"data":{"type":"agent-jobs","attributes":{"status":"errored"}}}`);
});

test('an agent that is stopped gives back the job that arrives meanwhile: nobody reads its material', async () => {
  const stopping = new AbortController();
  const service = await oneJob((request, response) => {
    if (request === 'POST /agents') return response.end(documentText('agent-x', {}));
    if (!request.endsWith('/actions/take')) return response.end();
    stopping.abort();
    return response.end(documentText('plan-x', { 'run-id': 'run-x', part: 'plan', token: 't' }));
  });
  const { settings, done } = await performing(service, '/no/such/folder');
  await done.catch(() => {});
  service.requests.length = 0;
  const { parent: folder } = await confinedRun();
  const parts = { log: silentLog, stopping: stopping.signal, interruption: stopping.signal };
  await runAgent({ ...parts, settings: { ...settings, folder } });
  expect(service.requests).toEqual([
    'POST /agents',
    'POST /agents/agent-x/actions/take',
    'POST /agents/agent-x/actions/exit',
  ]);
});
