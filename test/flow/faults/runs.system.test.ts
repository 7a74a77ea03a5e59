import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { expect, test } from 'vitest';
import { groundOf, until } from '../../support/flow/ground.ts';
import type { Started } from '../../support/flow/processes.ts';
import { patience } from '../../support/measures/patience.ts';
import { ending } from '../../support/services.ts';

// The server side of a run: its API is killed in the middle of every step between its parts, and its sweep while it asks a run task.
const ground = groundOf();

interface Answer {
  readonly status: number;
  readonly body: { readonly data?: { readonly id: string; readonly attributes: Readonly<Record<string, unknown>> } };
}

async function call(
  api: Started,
  method: string,
  path: string,
  body?: object,
  token = ground.rootToken,
): Promise<Answer> {
  const reply = await fetch(`${api.ready}/api/v2${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/vnd.api+json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patience.conditionMs),
  });
  const text = await reply.text();
  return { status: reply.status, body: text === '' ? {} : JSON.parse(text) };
}

const documentOf = (type: string, attributes: object, relationships: Readonly<Record<string, object>> = {}) => ({
  data: {
    type,
    attributes,
    relationships: Object.fromEntries(Object.entries(relationships).map(([name, data]) => [name, { data }])),
  },
});

async function made(api: Started, path: string, body: object) {
  const { status, body: answer } = await call(api, 'POST', path, body);
  if (status !== 201 || answer.data === undefined) throw new Error(`${path} was answered with ${status}`);
  return answer.data;
}

type Payload = Readonly<Record<string, string>>;

/** The service of a run task. While it hangs it does not answer. */
async function taskService() {
  const state = { hangs: false };
  const received: Payload[] = [];
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(Buffer.from(piece));
    received.push(JSON.parse(Buffer.concat(pieces).toString()));
    if (!state.hangs) response.writeHead(200).end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  ending({
    close: async () => {
      server.closeAllConnections();
      server.close();
    },
  });
  return { state, received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** A workspace with a configuration and a run task before the plan, after it, and before the apply. */
async function stageIn(api: Started) {
  const organization = { name: 'acme', email: 'ops@example.com' };
  await made(api, '/organizations', documentOf('organizations', organization));
  const workspace = await made(api, '/organizations/acme/workspaces', documentOf('workspaces', { name: 'site' }));
  const service = await taskService();
  const task = await made(
    api,
    '/organizations/acme/tasks',
    documentOf('tasks', { name: 'scan', url: service.url, category: 'task' }),
  );
  const attributes = { 'enforcement-level': 'mandatory', stages: ['pre_plan', 'post_plan', 'pre_apply'] };
  const related = { task: { type: 'tasks', id: task.id } };
  await made(api, `/workspaces/${workspace.id}/tasks`, documentOf('workspace-tasks', attributes, related));
  const configuration = await made(
    api,
    `/workspaces/${workspace.id}/configuration-versions`,
    documentOf('configuration-versions', { 'auto-queue-runs': false }),
  );
  const upload = await fetch(String(configuration.attributes['upload-url']), {
    method: 'PUT',
    body: new Uint8Array(gzipSync('a tar archive')),
  });
  expect(upload.status).toBe(200);
  return { id: workspace.id, service };
}

/** Kills an API that has begun a change of a run: it waits for the row of the workspace meanwhile. Nothing of the change may be left. */
async function killedIn(api: Started, workspaceId: string, request: (api: Started) => Promise<unknown>): Promise<void> {
  const holder = new pg.Client({ connectionString: ground.environment['DATABASE_URL'] });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('select 1 from ws_workspaces where id = $1 for update', [workspaceId]);
    const asked = request(api).catch(() => undefined);
    const waits = async () =>
      (
        await ground.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        )
      ).length > 0;
    await until(waits);
    await api.end('SIGKILL');
    await asked;
  } finally {
    await holder.end();
  }
}

const reported = (status: string) => ({ status, ...(status === 'finished' ? { 'has-changes': true } : {}) });

test('a run goes on whole when its API is killed in a step between its parts, and its sweep while it asks', async () => {
  let api = ending(await ground.start('serve'));
  let sweep = ending(await ground.start('sweep'));
  const { id: workspaceId, service } = await stageIn(api);
  service.received.length = 0;
  service.state.hangs = true;
  const run = await made(api, '/runs', documentOf('runs', {}, { workspace: { type: 'workspaces', id: workspaceId } }));
  const status = async () => (await call(api, 'GET', `/runs/${run.id}`)).body.data?.attributes['status'];
  const lock = async () =>
    (
      await ground.query<{ lock_holder: string | null }>('select lock_holder from ws_workspaces where id = $1', [
        workspaceId,
      ])
    )[0]?.lock_holder;
  const is = async (expected: string, holder: string | null) =>
    expect([await status(), await lock()]).toEqual([expected, holder]);
  /** The request of the newest stage to the service. */
  const asked = async (stage: string): Promise<Payload> => {
    await until(() => service.received.at(-1)?.['stage'] === stage);
    return service.received.at(-1) ?? {};
  };
  /** A step whose API is killed changes nothing; the next API takes it. */
  const step = async (before: readonly [string, string | null], request: (api: Started) => Promise<Answer>) => {
    await killedIn(api, workspaceId, request);
    api = ending(await ground.start('serve'));
    await is(...before);
    expect((await request(api)).status).toBeLessThan(300);
  };
  const passed =
    ({ task_result_id: result, access_token: token }: Payload) =>
    (one: Started) =>
      call(one, 'PATCH', `/task-results/${result}/callback`, documentOf('task-results', { status: 'passed' }), token);
  const report = (part: 'plan' | 'apply', outcome: string) => (one: Started) => {
    const [type, partId] = [part === 'plan' ? 'plans' : 'applies', run.id.replace('run', part)];
    return call(one, 'PATCH', `/${type}/${partId}`, documentOf(type, reported(outcome)));
  };

  // The sweep dies while the service has its request; another one asks again.
  const first = await asked('pre_plan');
  await sweep.end('SIGKILL');
  service.state.hangs = false;
  await ground.query(`update ws_task_results set claimed_until = now(), next_at = now() where next_at is not null`);
  sweep = ending(await ground.start('sweep'));
  await until(() => service.received.length === 2);
  const again = await asked('pre_plan');
  expect(again['task_result_id']).toBe(first['task_result_id']);
  await is('pre_plan_running', null);
  await step(['pre_plan_running', null], passed(again));
  await is('plan_queued', null);
  expect((await report('plan', 'running')(api)).status).toBe(200);
  await is('planning', run.id);
  await step(['planning', run.id], report('plan', 'finished'));
  await step(['post_plan_running', run.id], passed(await asked('post_plan')));
  await is('planned', run.id);
  await step(['planned', run.id], (one) => call(one, 'POST', `/runs/${run.id}/actions/apply`));
  const last = await asked('pre_apply');
  await is('pre_apply_running', run.id);
  expect((await passed(last)(api)).status).toBe(200);
  // Its token has ended with it, so that a repeated callback begins no second apply.
  expect((await passed(last)(api)).status).toBe(401);
  await is('apply_queued', run.id);
  expect((await report('apply', 'running')(api)).status).toBe(200);
  await step(['applying', run.id], report('apply', 'finished'));
  expect((await report('apply', 'finished')(api)).status).toBe(200);
  await is('applied', null);
  const events = await ground.query<{ action: string }>(
    'select action from ws_run_events where run_id = $1 order by position',
    [run.id],
  );
  expect(events.map(({ action }) => action)).toEqual([
    'created',
    'planning',
    'post_plan_running',
    'planned',
    'confirmed',
    'applying',
    'applied',
  ]);
  const stages = await ground.query<{ stage: string; status: string; results: number }>(
    `select s.stage, s.status, (select count(*)::int from ws_task_results t where t.stage_id = s.id) as results
       from ws_task_stages s where s.run_id = $1 order by s.stage`,
    [run.id],
  );
  expect(stages).toEqual(
    ['post_plan', 'pre_apply', 'pre_plan'].map((stage) => ({ stage, status: 'passed', results: 1 })),
  );
  const [measures] = await ground.query('select runs_count, run_failures from ws_workspaces where id = $1', [
    workspaceId,
  ]);
  expect(measures).toEqual({ runs_count: 1, run_failures: 0 });
  await sweep.end('SIGTERM');
});
