import { sql } from 'kysely';
import { receiver } from '#test/support/servers/receiver.ts';
import { documentOf } from '../../support/documents.ts';
import type { WorkspaceGround } from '../../support/ground.ts';
import { jobOf, poolOf } from '../agent-jobs/pool-of.ts';

/** A workspace with a configuration, resources and an agent, and a receiver of the notifications of its assessments. */
export async function assessable(ground: WorkspaceGround) {
  const stage = await poolOf(ground);
  const { workspace, take, admin } = stage;
  const { db } = ground.service.store;
  await stage.configuration();
  await sql`update ws_workspaces set resource_count = 8 where id = ${workspace.id}`.execute(db);
  const configuration = await ground.call(
    'POST',
    `/workspaces/${workspace.id}/notification-configurations`,
    documentOf('notification-configurations', {
      name: 'n',
      'destination-type': 'generic',
      enabled: true,
      url: (await receiver()).url,
      triggers: ['assessment:drifted', 'assessment:check_failure', 'assessment:failed'],
    }),
  );
  const agent = await stage.register();
  const assess = (token = admin.token) =>
    ground.call('POST', `/workspaces/${workspace.id}/actions/assess`, undefined, token);
  /** The agent takes the assessment, and ends it with these numbers. */
  const perform = async (outcome: object, taken?: ReturnType<typeof jobOf>) => {
    const job = taken ?? jobOf(ground, await take(agent));
    await job.log(1, 'looked');
    await job.bytes('plan-json', '{"format_version":"1.2"}');
    const ended = await job.finish({ status: 'finished', 'has-changes': true, ...outcome });
    if (ended.status !== 204) throw new Error(`the outcome was answered with ${ended.status} ${ended.text}`);
  };
  const current = () =>
    ground.call('GET', `/workspaces/${workspace.id}/current-assessment-result`, undefined, admin.token);
  const messages = async () => {
    const { rows } = await sql<{ payload: Record<string, unknown> }>`
      select payload from ws_deliveries where notification_id = ${configuration.item.id} order by id`.execute(db);
    return rows.map(({ payload }) => payload);
  };
  return { ...stage, agent, assess, perform, current, messages };
}
