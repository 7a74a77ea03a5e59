import { sql } from 'kysely';
import { documentOf } from '#test/workspaces/support/documents.ts';
import { md5Of, put, stateText, stateVersion } from '#test/workspaces/support/files.ts';
import { packed } from '#test/workspaces/support/packed.ts';
import { sent } from './workspaces.ts';
import { type Filling, keptIn } from './world.ts';

/** States, configurations with a README, and a run with a message that waits to be sent. */
export const states: Filling = {
  tables: [
    'ws_blobs',
    'ws_blob_chunks',
    'ws_state_versions',
    'ws_state_outputs',
    'ws_configuration_versions',
    'ws_readmes',
    'ws_runs',
    'ws_run_events',
    'ws_run_comments',
    'ws_run_jobs',
    'ws_assessments',
    'ws_deliveries',
    'ws_ingresses',
    'ws_task_stages',
    'ws_task_results',
    'ws_policy_evaluations',
    'ws_policy_outcomes',
  ],
  async fill(world) {
    const { ground } = world;
    const at = `/workspaces/${keptIn(world, 'workspace')}`;
    const text = stateText();
    await sent(world, `${at}/actions/lock`, {});
    const state = Buffer.from(text).toString('base64');
    await sent(world, `${at}/state-versions`, stateVersion({ serial: 1, lineage: 'l-1', md5: md5Of(text), state }));
    await sent(world, `${at}/actions/unlock`, {});
    const configuration = documentOf('configuration-versions', { 'auto-queue-runs': false });
    const made = await ground.call('POST', `${at}/configuration-versions`, configuration);
    await put(made.item.attributes['upload-url'], await packed({ 'main.tf': '', 'README.md': '# Network' }));
    await sent(world, `${at}/actions/assess`, {});
    const workspace = { workspace: { type: 'workspaces', id: keptIn(world, 'workspace') } };
    const run = await sent(world, '/runs', documentOf('runs', { message: 'm' }, workspace));
    world.kept.set('run', run);
    await sent(world, `/runs/${run}/comments`, documentOf('comments', { body: 'looks right' }));
    const [agent, token] = [keptIn(world, 'agent'), keptIn(world, 'agents')];
    const take = documentOf('agents', { 'wait-seconds': 0 });
    const taken = await ground.call('POST', `/agents/${agent}/actions/take`, take, token);
    if (taken.status !== 200) throw new Error(`an agent took nothing: ${taken.status} ${taken.text}`);
    const { db } = ground.service.store;
    // A commit is announced by a repository that no test reaches.
    await sql`
      insert into ws_ingresses (id, configuration_version_id, workspace_id, organization_id, delivery, request, commit_sha)
      select 'ia-1', c.id, w.id, w.organization_id, 'd', '{}', repeat('a', 40)
        from ws_configuration_versions c join ws_workspaces w on w.id = c.workspace_id where c.id = ${made.item.id}`.execute(
      db,
    );
    await sql`insert into ws_task_stages (id, run_id, stage) values ('ts-kept', ${run}, 'pre_apply')`.execute(db);
    await sql`
      insert into ws_task_results (id, stage_id, organization_id, workspace_task_id, task_name, task_url, enforcement_level)
      select 'taskrs-kept', 'ts-kept', organization_id, 'wstask-gone', 'scan', 'https://127.0.0.1:1/', 'advisory'
        from ws_workspaces where id = ${keptIn(world, 'workspace')}`.execute(db);
    await sql`
      insert into ws_policy_evaluations (id, stage_id, organization_id, status)
      select 'poleval-kept', 'ts-kept', organization_id, 'passed' from ws_workspaces where id = ${keptIn(world, 'workspace')}`.execute(
      db,
    );
    await sql`
      insert into ws_policy_outcomes (id, evaluation_id, position, policy_set_name, overridable, outcomes, counts)
      values ('psout-kept', 'poleval-kept', 0, 'security', false, '[]', '{}')`.execute(db);
  },
};
