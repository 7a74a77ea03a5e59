import { type RawBuilder, sql } from 'kysely';
import { isReadable, type Standing } from '../../../access/standing.ts';
import type { ListQuery } from './query.ts';
import { hasOneOf, joinTagged } from './tagged.ts';

/** Which workspaces `w` a list has: `from` a source `where` a condition holds. */
export interface Selection {
  readonly from: RawBuilder<unknown>;
  readonly where: RawBuilder<unknown>;
}

/** The workspaces in the list of a caller. What an index finds is looked up first: the rest is asked of those alone. */
export function selectionOf(standing: Standing, query: ListQuery): Selection {
  return { from: sourceOf(standing.organization.id, query), where: sql.join(checksOf(standing, query), and) };
}

const and = sql` and `;

function sourceOf(id: string, { projectId, tags, anyTags, tagged }: ListQuery): RawBuilder<unknown> {
  const found = [
    ...(projectId === '' ? [] : [sql`w.project_id = ${projectId}`]),
    ...tags.map((tag) => hasOneOf(id, [tag])),
    ...(anyTags.length === 0 ? [] : [hasOneOf(id, anyTags)]),
  ];
  const isFound = found.length + tagged.length > 0;
  // With `offset 0` the database does not move the checks into it, which would have all workspaces checked first.
  return sql`(
    select w.* from ws_workspaces w ${sql.join(tagged.map(joinTagged), sql` `)}
     where ${sql.join([sql`w.organization_id = ${id}`, ...found], and)} ${isFound ? sql`offset 0` : sql``}) w`;
}

function checksOf(standing: Standing, query: ListQuery): readonly RawBuilder<unknown>[] {
  const { name, wildcardName, runStatuses, excludedTags } = query;
  return [
    isReadable(standing),
    ...(name === '' ? [] : [sql`strpos(${lowerName}, lower(${name})) > 0`]),
    ...(wildcardName === '' ? [] : [sql`${lowerName} like lower(${patternOf(wildcardName)})`]),
    ...(runStatuses.length === 0 ? [] : [hasRunIn(runStatuses)]),
    ...(excludedTags.length === 0 ? [] : [sql`not ${hasOneOf(standing.organization.id, excludedTags)}`]),
  ];
}

/** Names have ASCII alone, and the rules of a language would take several times as long. */
const lowerName = sql`lower(w.name collate "C")`;

const hasRunIn = (statuses: readonly string[]): RawBuilder<unknown> => sql`exists (
  select 1 from ws_runs r where r.id = w.current_run_id and r.status = any(${statuses}::text[]))`;

/** `*` stands for any characters, and every other one for itself. */
const patternOf = (wildcard: string): string => wildcard.replace(/[\\%_]/g, '\\$&').replaceAll('*', '%');
