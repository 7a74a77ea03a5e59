import { type RawBuilder, sql } from 'kysely';
import { opaqueParameter } from '#store/postgres/statements/parameters.ts';
import type { ListQuery } from './query.ts';
import { hasOneOf, isTagged } from './tagged.ts';

/** Conditions on the workspaces `w` of a list, in addition to read access. */
export interface Selection {
  /** Selective conditions with an index. They are evaluated first, and all others only for their matches. */
  readonly found: readonly RawBuilder<unknown>[];
  readonly checks: readonly RawBuilder<unknown>[];
}

/** The conditions for a query on the workspaces of an organization. */
export function selectionOf(organizationId: string, query: ListQuery): Selection {
  const { projectId, tags, anyTags, tagged, excludedTags, name, wildcardName, runStatuses } = query;
  const has = (names: readonly string[]) => hasOneOf(organizationId, names);
  return {
    found: [
      ...(projectId === '' ? [] : [sql`w.project_id = ${opaqueParameter(projectId, 'text')}`]),
      ...tags.map((tag) => has([tag])),
      ...(anyTags.length === 0 ? [] : [has(anyTags)]),
    ],
    checks: [
      ...tagged.map((filter) => isTagged(organizationId, filter)),
      ...(excludedTags.length === 0 ? [] : [sql`not ${has(excludedTags)}`]),
      ...(name === '' ? [] : [sql`strpos(${lowerName}, ${opaqueParameter(name.toLowerCase(), 'text')}) > 0`]),
      ...(wildcardName === '' ? [] : [sql`${lowerName} like ${opaqueParameter(patternOf(wildcardName), 'text')}`]),
      ...(runStatuses.length === 0 ? [] : [hasRunIn(runStatuses)]),
    ],
  };
}

/** Names are ASCII, and a language-aware collation would take several times as long. */
const lowerName = sql`lower(w.name collate "C")`;

const hasRunIn = (statuses: readonly string[]): RawBuilder<unknown> => sql`exists (
  select 1 from ws_runs r where r.id = w.current_run_id
     and case when r.status = 'pending' and r.timestamps ? 'plan-queued-at' then 'plan_queued'
              when r.status = 'confirmed' and r.timestamps ? 'apply-queued-at' then 'apply_queued'
              else r.status end = any(${opaqueParameter(statuses, 'text[]')}))`;

/** `*` matches any characters; all other characters match themselves. */
const patternOf = (wildcard: string): string =>
  wildcard
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%');
