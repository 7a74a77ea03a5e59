import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { everyRow, filled, shown } from '../../every-row/rows.ts';
import { type Things, thingsOf } from '../../every-row/things.ts';
import { md5Of, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from './pool-of.ts';

// What the tokens of pools and runs may do: exactly their work.
const ground = workspaceGround();
let stage: Awaited<ReturnType<typeof poolOf>>;
let job: ReturnType<typeof jobOf>;
let things: Things;

beforeAll(async () => {
  stage = await poolOf(ground);
  await stage.configuration();
  await stage.run();
  job = jobOf(ground, await stage.take(await stage.register()));
  // The walks take longer than a lease on a busy machine.
  await sql`update ws_run_jobs set lease_until = now() + interval '1 hour' where run_id = ${job.runId}`.execute(
    ground.service.store.db,
  );
  things = await thingsOf(ground);
});

/** Rows of the token of a run, on other resources than its own: all of them are refused. */
const rowsOfRuns = /^(workspace: (read|read-outputs|read-states|write-states)|organization: entitlements|job: work)$/;

/** 400 and 422: the request names no resource, or is about one of another type. */
const refusals = [400, 404, 422];

describe.each(['pool', 'run'])('the token of a %s', (kind) => {
  test('can do nothing with the resources of another organization', async () => {
    const token = kind === 'pool' ? stage.token : job.token;
    const wrong: string[] = [];
    for (const row of everyRow(ground).filter(({ open }) => !open)) {
      if (kind === 'pool' && row.path === '/api/v2/agents') continue;
      const path = filled(row, (name) => things.valueFor(row.path, name)) + (row.method === 'GET' ? things.query : '');
      const body = row.method === 'GET' ? undefined : things.document('things');
      const { status } = await ground.call(row.method, path, body, token);
      if (!refusals.includes(status)) wrong.push(`${shown(row)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  test('can do nothing in its own organization but its work', async () => {
    const { organization, workspace, pool } = stage;
    const own: Readonly<Record<string, string>> = {
      organization_name: organization.name,
      workspace_id: workspace.id,
      name: workspace.name,
      project_id: organization.projectId,
      agent_pool_id: pool.id,
      run_id: job.runId,
      plan_id: job.id,
    };
    const token = kind === 'pool' ? stage.token : job.token;
    const wrong: string[] = [];
    for (const row of everyRow(ground).filter(({ open }) => !open)) {
      const [[noun = '', right = ''] = []] = Object.entries(row.needs);
      if (kind === 'run' ? rowsOfRuns.test(`${noun}: ${right}`) : row.path === '/api/v2/agents') continue;
      const path = filled(row, (name) => own[name] ?? things.valueFor(row.path, name));
      const { status } = await ground.call(row.method, path, row.method === 'GET' ? undefined : {}, token);
      if (!refusals.includes(status)) wrong.push(`${shown(row)}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });
});

test('an agent of another pool is no agent of this one', async () => {
  const other = await poolOf(ground);
  const agent = await other.register();
  expect((await stage.take(agent)).status).toBe(404);
});

test('a run reads the states that are shared with its workspace, and no others', async () => {
  const { organization, workspace } = stage;
  const { db } = ground.service.store;
  const source = await ground.workspace(organization.id, organization.projectId);
  const id = 'sv-Shared';
  await sql`insert into ws_state_versions (id, workspace_id, serial, status) values (${id}, ${source.id}, 1, 'finalized')`.execute(
    db,
  );
  await sql`update ws_workspaces set current_state_version_id = ${id} where id = ${source.id}`.execute(db);
  const read = async () => {
    const paths = [
      `/organizations/${organization.name}/workspaces/${source.name}`,
      `/workspaces/${source.id}/current-state-version`,
    ];
    return Promise.all(paths.map(async (path) => (await ground.call('GET', path, undefined, job.token)).status));
  };
  const change = (query: ReturnType<typeof sql>) => query.execute(db);
  expect(await read()).toEqual([404, 404]);
  await change(sql`insert into ws_consumers (workspace_id, consumer_id) values (${source.id}, ${workspace.id})`);
  expect(await read()).toEqual([200, 200]);
  expect((await ground.call('GET', `/workspaces/${source.id}/vars`, undefined, job.token)).status).toBe(404);
  await change(sql`delete from ws_consumers where workspace_id = ${source.id}`);
  await change(sql`update ws_workspaces set global_remote_state = true where id = ${source.id}`);
  expect(await read()).toEqual([200, 200]);
  await change(sql`
    update ws_workspaces set global_remote_state = false, settings = settings || '{"project-remote-state": true}'
     where id = ${source.id}`);
  expect(await read()).toEqual([200, 200]);
  const elsewhere = await ground.project(organization.id);
  await change(sql`update ws_workspaces set project_id = ${elsewhere} where id = ${source.id}`);
  expect(await read()).toEqual([404, 404]);
});

test('a plan writes no state', async () => {
  const text = stateText();
  const body = stateVersion({ serial: 1, md5: md5Of(text), state: btoa(text) }, job.runId);
  const path = `/workspaces/${stage.workspace.id}/state-versions`;
  expect((await ground.call('POST', path, body, job.token)).status).toBe(404);
});
