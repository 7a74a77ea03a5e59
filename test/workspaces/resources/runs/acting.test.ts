import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { runLevels, stateLevels } from '#workspaces/access/levels.ts';
import { filesOf, md5Of, put, stateText, stateVersion } from '../../support/files.ts';
import { workspaceGround } from '../../support/ground.ts';
import { archive, runnableWorkspace } from './runs-of.ts';

const ground = workspaceGround();

/** A run whose plan one team has started, and other teams with some of the agent's rights. */
async function running() {
  const runnable = await runnableWorkspace(ground);
  const { workspace, organization } = runnable;
  await runnable.configuration();
  const { id } = (await runnable.run()).item;
  const teamWith = async (levels: { readonly runs: number; readonly state: number; readonly locking?: boolean }) => {
    const team = await ground.team(organization.id);
    await ground.grant(team.id, { workspace: workspace.id }, 'write');
    await sql`
      update ws_grants set access = 'custom', runs = ${levels.runs}, state_versions = ${levels.state},
             locking = ${levels.locking ?? false} where team_id = ${team.id}`.execute(ground.service.store.db);
    return team;
  };
  const agent = await teamWith({ runs: runLevels.apply, state: stateLevels.write });
  expect((await runnable.report(id, 'plan', { status: 'running' }, agent.token)).status).toBe(200);
  const text = stateText();
  const state = (token: string, run: string | undefined = id, serial = 1) =>
    ground.call(
      'POST',
      `/workspaces/${workspace.id}/state-versions`,
      stateVersion({ serial, md5: md5Of(text), state: btoa(text) }, run),
      token,
    );
  return { ...runnable, id, agent, teamWith, state, text };
}

describe('the agent that reported a part of a run as running', () => {
  test('is the only caller that may write state for the run with the lock; naming the run is not enough', async () => {
    const { teamWith, state, agent, id, writer } = await running();
    const writes = await teamWith({ runs: runLevels.read, state: stateLevels.write });
    const applies = await teamWith({ runs: runLevels.apply, state: stateLevels.write, locking: true });
    for (const token of [writes.token, applies.token, writer.token]) {
      const refused = await state(token);
      expect(refused.status).toBe(409);
      expect(refused.errors[0]?.detail).toContain(`is locked by Run ${id}`);
    }
    expect((await state(agent.token)).status).toBe(201);
  });

  test('may not write state between the plan and the apply, nor after losing the right to apply', async () => {
    const { state, agent, id, report, act, workspace } = await running();
    await report(id, 'plan', { status: 'finished', 'has-changes': true }, agent.token);
    expect((await state(agent.token)).status).toBe(409);
    await act(id, 'apply');
    expect((await state(agent.token)).status).toBe(409);
    await report(id, 'apply', { status: 'running' }, agent.token);
    const waiting = await ground.call(
      'POST',
      `/workspaces/${workspace.id}/state-versions`,
      stateVersion({ serial: 1, md5: md5Of(stateText()) }, id),
      agent.token,
    );
    expect(waiting.status).toBe(201);
    await sql`update ws_grants set runs = ${runLevels.plan} where team_id = ${agent.id}`.execute(
      ground.service.store.db,
    );
    expect((await put(waiting.item.attributes['hosted-state-upload-url'], stateText())).status).toBe(409);
    expect((await state(agent.token)).status).toBe(409);
    await sql`update ws_grants set runs = ${runLevels.apply} where team_id = ${agent.id}`.execute(
      ground.service.store.db,
    );
    expect((await put(waiting.item.attributes['hosted-state-upload-url'], stateText())).status).toBe(200);
  });

  test('leaves no upload behind when the run ends', async () => {
    const { agent, id, report, workspace, text } = await running();
    const waiting = await ground.call(
      'POST',
      `/workspaces/${workspace.id}/state-versions`,
      stateVersion({ serial: 1, md5: md5Of(text) }, id),
      agent.token,
    );
    await report(id, 'plan', { status: 'errored' }, agent.token);
    expect((await put(waiting.item.attributes['hosted-state-upload-url'], text)).status).toBe(409);
    const shown = await ground.call('GET', `/state-versions/${waiting.item.id}`);
    expect(shown.item.attributes['status']).toBe('discarded');
  });

  test.each(['finished', 'errored', 'canceled'])('is the only caller that may report its end as %s', async (end) => {
    const { report, id, agent, writer, admin, status } = await running();
    for (const token of [writer.token, admin.token]) {
      const refused = await report(id, 'plan', { status: end, 'has-changes': true }, token);
      expect([refused.status, refused.errors[0]?.detail]).toEqual([409, expect.stringContaining('another agent')]);
    }
    expect(await status(id)).toBe('planning');
    expect((await report(id, 'plan', { status: end }, agent.token)).status).toBe(200);
  });

  test('is the only caller with the address for its log, which becomes invalid with its rights', async () => {
    const { report, id, agent, writer, workspace } = await running();
    const planId = id.replace('run', 'plan');
    const shownTo = async (token: string) =>
      (await ground.call('GET', `/plans/${planId}`, undefined, token)).item.attributes['log-upload-url'];
    expect(await shownTo(writer.token)).toBeNull();
    const url = await shownTo(agent.token);
    expect((await put(url, 'planning')).status).toBe(200);
    await sql`delete from ws_grants where team_id = ${agent.id}`.execute(ground.service.store.db);
    expect((await put(url, 'forged')).status).toBe(404);
    expect((await report(id, 'plan', { status: 'finished' }, agent.token)).status).toBe(404);
    expect((await filesOf(ground, workspace.id)).filter(({ kind }) => kind === 'log')).toHaveLength(1);
  });
});

const run = (query: ReturnType<typeof sql>) => query.execute(ground.service.store.db);

test.each([
  [
    'it may only read',
    ({ planner }) =>
      run(sql`
     update ws_grants set runs = ${runLevels.read} where team_id in (
       select team_id from ws_team_members where user_id = ${planner.id})`),
  ],
  ['it is suspended', ({ planner }) => ground.call('POST', `/admin/users/${planner.id}/actions/suspend`)],
  ['its token is revoked', ({ planner }) => run(sql`delete from ws_tokens where user_id = ${planner.id}`)],
] satisfies readonly (readonly [string, (of: Awaited<ReturnType<typeof runnableWorkspace>>) => Promise<unknown>])[])(
  'the address for a configuration becomes invalid with the rights of its creator: %s',
  async (_how, end) => {
    const runnable = await runnableWorkspace(ground);
    const { workspace, planner } = runnable;
    const made = await ground.call(
      'POST',
      `/workspaces/${workspace.id}/configuration-versions`,
      { data: { type: 'configuration-versions', attributes: {} } },
      planner.token,
    );
    await end(runnable);
    expect((await put(made.item.attributes['upload-url'], archive)).status).toBe(404);
    expect(await filesOf(ground, workspace.id)).toEqual([]);
    expect((await runnable.row())?.runs_made).toBe(0);
  },
);
