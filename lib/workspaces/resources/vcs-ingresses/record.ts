import { sql, type Transaction } from 'kysely';
import { notYet } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { bool, int } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Database } from '#store/tables.ts';
import { holdWorkspace } from '../../access/hold.ts';
import { newId } from '../../frame/ids.ts';
import { timeOfStatement } from '../run-lifecycle/transition.ts';
import type { Announcement, StoredRequest } from './announcement.ts';

/** A commit for one workspace. */
export interface NewIngress {
  readonly workspaceId: string;
  readonly announcement: Announcement;
  readonly request: Pick<StoredRequest, 'onlyDefaultBranch' | 'onlyChanged' | 'isAsked' | 'mayApply'>;
  readonly speculative: boolean;
  readonly autoQueueRuns: boolean;
  /** The name of the provider, which the configuration version shows. */
  readonly source: string;
  /** Tells the same announcement from another one. */
  readonly delivery: string;
  readonly actor: Pick<ApiCaller, 'kind' | 'id'>;
}

/** Commits of one workspace that wait. */
const waitingMax = 100;

/**
 * Makes a configuration version that waits until its commit is fetched, and returns its id; undefined when the same was announced before.
 *
 * @throws ApiError 404 when the workspace was deleted, 503 while too many commits wait
 */
export async function recordIngress(tx: Transaction<Database>, ingress: NewIngress): Promise<string | undefined> {
  const { workspaceId, announcement, delivery, actor } = ingress;
  const { organization_id: organizationId } = await holdWorkspace(tx, workspaceId);
  const { waiting, known } = await standingOf(tx, ingress);
  if (known) return undefined;
  if (waiting >= waitingMax) throw notYet(`${waitingMax} commits wait to be fetched: try again`);
  const [id, configurationId] = [newId('ia'), newId('cv')];
  await sql`
    insert into ws_configuration_versions
      (id, workspace_id, source, auto_queue_runs, speculative, created_by_kind, created_by, timestamps)
    values (${configurationId}, ${workspaceId}, ${ingress.source}, ${ingress.autoQueueRuns}, ${ingress.speculative}, ${actor.kind},
            ${actor.id}, jsonb_build_object('queued-at', ${timeOfStatement}))`.execute(tx);
  await sql`
    insert into ws_ingresses (id, configuration_version_id, workspace_id, organization_id, delivery, request, commit_sha,
                              attributes, next_at)
    values (${id}, ${configurationId}, ${workspaceId}, ${organizationId}, ${delivery}, ${JSON.stringify(requestOf(ingress))},
            ${announcement.commit ?? null}, ${JSON.stringify(announcement.facts)}, now())`.execute(tx);
  return configurationId;
}

const requestOf = ({ announcement, request }: NewIngress): StoredRequest => ({
  ...request,
  kind: announcement.kind,
  repository: announcement.repository,
  name: announcement.name ?? null,
  ref: announcement.ref ?? null,
  commit: announcement.commit ?? null,
  before: announcement.before ?? null,
});

/** A host may report one push by several webhooks, and repeats a report whose answer it missed. */
async function standingOf(tx: Transaction<Database>, { workspaceId, delivery, announcement, request }: NewIngress) {
  const { rows } = await rowsOf({ waiting: int, known: bool })`
    select (select count(*)::int from ws_ingresses where workspace_id = ${workspaceId} and next_at is not null) as waiting,
           exists (select 1 from ws_ingresses where workspace_id = ${workspaceId} and delivery = ${delivery})
             or (not ${request.isAsked}::boolean and exists (
               select 1 from (
                 select i.commit_sha, i.request from ws_ingresses i
                  where i.workspace_id = ${workspaceId} order by i.position desc limit 1) l
                where l.commit_sha = ${announcement.commit ?? null} and l.request->>'kind' = ${announcement.kind}
                  and l.request->>'name' is not distinct from ${announcement.name ?? null})) as known`.execute(tx);
  return rows[0] ?? { waiting: 0, known: false };
}
