import { sql, type Transaction } from 'kysely';
import type { Database } from '#store/tables.ts';
import type { Trigger } from '../notification-configurations/fields.ts';
import { hasRoom, receiversOf } from './outbox.ts';

/** What a message says about a workspace rather than about one of its runs. */
export interface Fact {
  readonly scope: 'workspace' | 'assessment';
  readonly trigger: Trigger;
  readonly message: string;
  /** In addition to the names of the workspace and its organization. */
  readonly details: object;
}

/** Queues messages about a workspace in the transaction of the change, as `announce` does for runs. */
export async function announceFact(
  tx: Transaction<Database>,
  workspaceId: string,
  { scope, trigger, message, details }: Fact,
): Promise<void> {
  await sql`
    with ${receiversOf(workspaceId, trigger)}
    insert into ws_deliveries (notification_id, payload)
    select n.id, jsonb_build_object('payload_version', 2, 'notification_configuration_id', n.id, 'trigger_scope', ${scope}::text,
             'trigger', ${trigger}::text, 'message', ${message}::text,
             'details', ${JSON.stringify(details)}::jsonb || jsonb_build_object(
               'workspace_id', w.id, 'workspace_name', w.name, 'organization_name', o.name))
      from receivers n join ws_workspaces w on w.id = ${workspaceId} join ws_organizations o on o.id = w.organization_id
     where ${hasRoom}`.execute(tx);
}
