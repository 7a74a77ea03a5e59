import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { patience } from '#test/support/measures/patience.ts';
import { documentOf } from '../../support/documents.ts';
import { workspaceGround } from '../../support/ground.ts';
import { taskService } from './service-of.ts';

// A cap holds although another task is being stored, whose row cannot be seen yet.
const ground = workspaceGround();

/** Runs `request` while a transaction has taken the last place, which is committed once the request waits for it or was answered. */
async function whileLastIsStored<T>(
  fill: ReturnType<typeof sql>,
  last: ReturnType<typeof sql>,
  hold: ReturnType<typeof sql>,
  request: () => Promise<T>,
): Promise<T> {
  const { db } = ground.service.store;
  await fill.execute(db);
  let answered = false;
  return db
    .transaction()
    .execute(async (tx) => {
      await hold.execute(tx);
      await last.execute(tx);
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx);
      const answer = request().finally(() => {
        answered = true;
      });
      const waits = async () =>
        (
          await sql`select 1 from pg_stat_activity where ${rows[0]?.pid ?? 0}::int = any(pg_blocking_pids(pid))`.execute(
            db,
          )
        ).rows.length > 0;
      const end = performance.now() + patience.conditionMs;
      while (!answered && !(await waits())) {
        if (performance.now() > end) throw new Error('the request neither waits nor was answered');
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { answer };
    })
    .then(({ answer }) => answer);
}

const taskRows = (organizationId: string, from: number, to: number) => sql`
  insert into ws_organization_tasks (id, organization_id, name, url, description, enabled, origin)
  select 'task-' || ${organizationId} || n, ${organizationId}, 'n' || n, 'http://a.test', '', true, 'http://b.test'
    from generate_series(${from}::int, ${to}::int) n`;

test('an organization gets no task beyond its cap', async () => {
  const organization = await ground.organization();
  const { url } = await taskService();
  const { status, text } = await whileLastIsStored(
    taskRows(organization.id, 1, 99),
    taskRows(organization.id, 100, 100),
    sql`select 1 from ws_organizations where id = ${organization.id} for no key update`,
    () =>
      ground.call(
        'POST',
        `/organizations/${organization.name}/tasks`,
        documentOf('tasks', { name: 'one-more', url, category: 'task' }),
      ),
  );
  expect(status, text).toBe(422);
});

test('a workspace gets no task beyond its cap', async () => {
  const organization = await ground.organization();
  const workspace = await ground.workspace(organization.id, organization.projectId);
  await taskRows(organization.id, 1, 21).execute(ground.service.store.db);
  const added = (from: number, to: number) => sql`
    insert into ws_workspace_tasks (id, workspace_id, task_id, stages, enforcement_level)
    select 'wstask-' || ${workspace.id} || n, ${workspace.id}, 'task-' || ${organization.id} || n, '{post_plan}', 'advisory'
      from generate_series(${from}::int, ${to}::int) n`;
  const { status, text } = await whileLastIsStored(
    added(1, 19),
    added(20, 20),
    sql`select 1 from ws_workspaces where id = ${workspace.id} for no key update`,
    () =>
      ground.call(
        'POST',
        `/workspaces/${workspace.id}/tasks`,
        documentOf(
          'workspace-tasks',
          { 'enforcement-level': 'advisory' },
          { task: { type: 'tasks', id: `task-${organization.id}21` } },
        ),
      ),
  );
  expect(status, text).toBe(422);
});
