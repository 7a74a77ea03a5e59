import { gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { put } from '../../support/files.ts';
import type { Answer, WorkspaceGround } from '../../support/ground.ts';

export const archive = gzipSync('a tar archive');

/** A workspace with an uploaded configuration, a user with the right to apply, and one with the right to plan. */
export async function runnableWorkspace(ground: WorkspaceGround) {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  const caller = async (access: 'admin' | 'write' | 'plan' | 'read') => {
    const user = await ground.user(organization.id);
    const team = await ground.team(organization.id, { members: [user.id] });
    await ground.grant(team.id, { workspace: workspace.id }, access);
    return user;
  };
  const [admin, writer, planner, reader] = [
    await caller('admin'),
    await caller('write'),
    await caller('plan'),
    await caller('read'),
  ];
  const configuration = async (attributes: object = { 'auto-queue-runs': false }, token = writer.token) => {
    const made = await ground.call(
      'POST',
      `/workspaces/${workspace.id}/configuration-versions`,
      { data: { type: 'configuration-versions', attributes } },
      token,
    );
    return { made, uploaded: await put(made.item.attributes['upload-url'], archive) };
  };
  const run = (attributes: object = {}, token = writer.token, relationships: object = {}): Promise<Answer> =>
    ground.call(
      'POST',
      '/runs',
      {
        data: {
          type: 'runs',
          attributes,
          relationships: { workspace: { data: { type: 'workspaces', id: workspace.id } }, ...relationships },
        },
      },
      token,
    );
  const report = (id: string, part: 'plan' | 'apply', attributes: object, token = writer.token): Promise<Answer> => {
    const [type, partId] = [part === 'plan' ? 'plans' : 'applies', id.replace('run', part)];
    return ground.call('PATCH', `/${type}/${partId}`, { data: { type, attributes } }, token);
  };
  const act = (id: string, action: string, token = writer.token): Promise<Answer> =>
    ground.call('POST', `/runs/${id}/actions/${action}`, undefined, token);
  const status = async (id: string): Promise<unknown> =>
    (await ground.call('GET', `/runs/${id}`, undefined, writer.token)).item.attributes['status'];
  const row = async () => {
    const { rows } = await sql<{
      lock_kind: string | null;
      lock_holder: string | null;
      current_run_id: string | null;
      runs_count: number;
      run_failures: number;
      runs_made: number;
    }>`
      select lock_kind, lock_holder, current_run_id, runs_count, run_failures,
             (select count(*)::int from ws_runs r where r.workspace_id = w.id) as runs_made from ws_workspaces w
       where id = ${workspace.id}`.execute(ground.service.store.db);
    return rows[0];
  };
  /** Brings a run to the status `planned`. */
  const planned = async (id: string) => {
    await report(id, 'plan', { status: 'running' });
    return report(id, 'plan', { status: 'finished', 'has-changes': true });
  };
  return {
    organization,
    workspace,
    admin,
    writer,
    planner,
    reader,
    configuration,
    run,
    report,
    act,
    status,
    row,
    planned,
  };
}
