import { type RawBuilder, sql } from 'kysely';
import { isReadable, type Standing } from '../../../access/standing.ts';
import type { ListQuery } from './query.ts';
import { hasTag, isTagged } from './tagged.ts';

/** Whether the workspace `w` is in the list of a caller. */
export function conditionOf(standing: Standing, query: ListQuery): RawBuilder<unknown> {
  const { id } = standing.organization;
  const { name, wildcardName, projectId, runStatuses } = query;
  const conditions = [
    sql`w.organization_id = ${id}`,
    isReadable(standing),
    ...(name === '' ? [] : [sql`strpos(${lowerName}, lower(${name})) > 0`]),
    ...(wildcardName === '' ? [] : [sql`${lowerName} like lower(${patternOf(wildcardName)})`]),
    ...(projectId === '' ? [] : [sql`w.project_id = ${projectId}`]),
    ...(runStatuses.length === 0 ? [] : [hasRunIn(runStatuses)]),
    ...query.tags.map((tag) => hasTag(id, tag)),
    ...query.excludedTags.map((tag) => sql`not ${hasTag(id, tag)}`),
    ...(query.tagUnion.length === 0 ? [] : [hasOneOf(id, query.tagUnion)]),
    ...query.tagged.map(isTagged),
  ];
  return sql.join(conditions, sql` and `);
}

const hasOneOf = (organizationId: string, tags: readonly string[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    tags.map((tag) => hasTag(organizationId, tag)),
    sql` or `,
  )})`;

/** Names have ASCII alone, and the rules of a language would take several times as long. */
const lowerName = sql`lower(w.name collate "C")`;

const hasRunIn = (statuses: readonly string[]): RawBuilder<unknown> => sql`exists (
  select 1 from ws_runs r where r.id = w.current_run_id and r.status = any(${statuses}::text[]))`;

/** `*` stands for any characters, and every other one for itself. */
const patternOf = (wildcard: string): string => wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
