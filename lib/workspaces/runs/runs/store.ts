import { type RawBuilder, sql } from 'kysely';
import { notFound } from '../../../path/jsonapi/error.ts';
import type { ApiCaller } from '../../../path/jsonapi/row.ts';
import type { Store } from '../../../store/store.ts';
import { type FoundWorkspace, findWorkspace, mustHave } from '../../access/workspace.ts';
import type { RunStatus } from './status.ts';

/** What was asked for, by the names of the API. */
export interface RunSettings {
  readonly 'is-destroy': boolean;
  readonly refresh: boolean;
  readonly 'refresh-only': boolean;
  readonly 'save-plan': boolean;
  readonly 'allow-empty-apply': boolean;
  readonly 'allow-config-generation': boolean;
  readonly 'target-addrs': readonly string[] | null;
  readonly 'replace-addrs': readonly string[] | null;
  readonly 'policy-paths': readonly string[] | null;
  readonly 'engine-version': string | null;
  readonly 'trigger-reason': string;
}

/** What an agent said of a plan or an apply; nothing yet: it has not begun. */
export interface Outcome {
  readonly status?: 'running' | 'finished' | 'errored' | 'canceled';
  /** The id of the caller that said so last. */
  readonly agent?: string;
  readonly 'has-changes'?: boolean;
  readonly 'resource-additions'?: number;
  readonly 'resource-changes'?: number;
  readonly 'resource-destructions'?: number;
  readonly 'resource-imports'?: number;
  /** Times by status, such as `finished-at`. */
  readonly timestamps?: Readonly<Record<string, string>>;
}

/** A run as the store has it. */
export interface RunRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly status: RunStatus;
  readonly configuration_version_id: string | null;
  readonly created_by_kind: ApiCaller['kind'] | null;
  readonly created_by: string | null;
  /** Null: nobody has confirmed it, or it applies by itself. */
  readonly confirmed_by_kind: ApiCaller['kind'] | null;
  readonly confirmed_by: string | null;
  readonly message: string;
  readonly source: string;
  readonly settings: Partial<RunSettings>;
  /** Sealed. */
  readonly variables: Buffer | null;
  readonly auto_apply: boolean;
  readonly plan_only: boolean;
  readonly timestamps: Readonly<Record<string, string>>;
  readonly plan: Outcome;
  readonly apply: Outcome;
  readonly plan_log_id: string | null;
  readonly apply_log_id: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** Runs of the workspace that go before it. */
  readonly ahead: number;
  readonly event_ids: readonly string[];
  readonly comment_ids: readonly string[];
}

/** Runs that are not over, in the words of the index that has them. */
export const isActive = (alias: string): RawBuilder<unknown> =>
  sql.raw(
    `${alias}.status not in ('applied', 'planned_and_finished', 'planned_and_saved', 'discarded', 'canceled', 'errored')`,
  );

/** Those of them that hold the lock or will. */
export const isQueued = (alias: string): RawBuilder<unknown> =>
  sql`(${isActive(alias)} and not ${sql.ref(`${alias}.plan_only`)})`;

/** A run has few. */
export const eventsMax = 100;
/** Of one run. Each is an event as well. */
export const commentsMax = 50;

const columns = sql`r.*, case when r.status <> 'pending' then 0 else (
  select count(*)::int from ws_runs a
   where a.workspace_id = r.workspace_id and a.position < r.position and ${isQueued('a')}) end as ahead,
  array(select e.id from ws_run_events e where e.run_id = r.id order by e.position limit ${eventsMax}) as event_ids,
  array(select c.id from ws_run_comments c where c.run_id = r.id order by c.position limit ${commentsMax}) as comment_ids`;

type Db = Pick<Store, 'db'>['db'];

const newestFirst = sql`r.position desc`;
export const oldestFirst = sql`r.position`;

/** Runs `r` that meet a condition, the newest first unless another order is given. */
export async function runsWhere(
  db: Db,
  condition: RawBuilder<unknown>,
  { size, offset } = { size: 1, offset: 0 },
  order: RawBuilder<unknown> = newestFirst,
): Promise<readonly RunRow[]> {
  const { rows } = await sql<RunRow>`
    select ${columns} from ws_runs r where ${condition} order by ${order} limit ${size} offset ${offset}`.execute(db);
  return rows;
}

/** @throws ApiError 404 */
export async function readRun(db: Db, id: string): Promise<RunRow> {
  const [row] = await runsWhere(db, sql`r.id = ${id}`);
  if (row === undefined) throw notFound();
  return row;
}

/** A run whose workspace the caller may use at that level. @throws ApiError 404 */
export async function findRun(
  store: Pick<Store, 'db'>,
  caller: ApiCaller,
  id: string,
  level: number,
): Promise<FoundWorkspace & { readonly run: RunRow }> {
  const run = await readRun(store.db, id);
  const found = await findWorkspace(store, caller, { workspace_id: run.workspace_id });
  mustHave(found.levels.runs >= level);
  return { ...found, run };
}

/** Plan and apply are named after their run. */
export const planIdOf = (runId: string): string => runId.replace(/^run-/, 'plan-');
export const applyIdOf = (runId: string): string => runId.replace(/^run-/, 'apply-');
export const runIdOf = (partId: string): string => partId.replace(/^(plan|apply)-/, 'run-');
