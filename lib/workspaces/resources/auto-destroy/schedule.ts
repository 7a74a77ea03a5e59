import { type RawBuilder, sql, type Transaction } from 'kysely';
import { invalidAttribute } from '#path/jsonapi/error.ts';
import type { Database } from '#store/tables.ts';

/** The settings of a workspace that its schedule depends on. */
const names = ['auto-destroy-at', 'auto-destroy-activity-duration', 'inherits-project-auto-destroy'] as const;

/** Whether a request has an attribute that the schedule depends on. */
export const concernsSchedule = (sent: { readonly [K in (typeof names)[number]]?: unknown }): boolean =>
  names.some((name) => sent[name] !== undefined);

/** @throws ApiError 422 for a time that has passed, unless the workspace has it already */
export function mustBeAhead(sent: Date | null | undefined, before: unknown, now: Date): void {
  if (sent === undefined || sent === null || sent > now || sent.toISOString() === before) return;
  throw invalidAttribute('auto-destroy-at', 'Auto destroy at must be in the future');
}

/** Lets the sweep look at workspaces `w` soon, if they are ephemeral or were. */
export const reschedule = (tx: Transaction<Database>, workspaces: RawBuilder<unknown>): Promise<unknown> =>
  sql`
    insert into ws_auto_destroys (workspace_id, organization_id, look_at)
    select w.id, w.organization_id, now() from ws_workspaces w join ws_projects p on p.id = w.project_id
     where ${workspaces} and (${isEphemeral} or exists (select 1 from ws_auto_destroys d where d.workspace_id = w.id))
     order by w.id
    on conflict (workspace_id) do update set look_at = now()`.execute(tx);

/** Whether the workspace `w` of the project `p` is destroyed some time. */
const isEphemeral = sql`(
  w.settings->>'auto-destroy-at' is not null or w.settings->>'auto-destroy-activity-duration' is not null
  or p.auto_destroy_activity_duration is not null
     and coalesce(w.settings->'inherits-project-auto-destroy' <> 'false', true))`;
