import { type RawBuilder, sql } from 'kysely';
import { unseen } from '../../../../store/postgres/unseen.ts';
import type { ListQuery } from './query.ts';
import { hasOneOf, isTagged } from './tagged.ts';

/** Conditions on the workspaces `w` of a list, beside that its caller may read them. */
export interface Selection {
  /** What indexes find few by: looked up first, and all else is asked of those alone. */
  readonly found: readonly RawBuilder<unknown>[];
  readonly checks: readonly RawBuilder<unknown>[];
}

/** What a list of the workspaces of an organization is narrowed by. */
export function selectionOf(organizationId: string, query: ListQuery): Selection {
  const { projectId, tags, anyTags, tagged, excludedTags, name, wildcardName, runStatuses } = query;
  const has = (names: readonly string[]) => hasOneOf(organizationId, names);
  return {
    found: [
      ...(projectId === '' ? [] : [sql`w.project_id = ${unseen(projectId, 'text')}`]),
      ...tags.map((tag) => has([tag])),
      ...(anyTags.length === 0 ? [] : [has(anyTags)]),
    ],
    checks: [
      ...tagged.map((filter) => isTagged(organizationId, filter)),
      ...(excludedTags.length === 0 ? [] : [sql`not ${has(excludedTags)}`]),
      ...(name === '' ? [] : [sql`strpos(${lowerName}, ${unseen(name.toLowerCase(), 'text')}) > 0`]),
      ...(wildcardName === '' ? [] : [sql`${lowerName} like ${unseen(patternOf(wildcardName), 'text')}`]),
      ...(runStatuses.length === 0 ? [] : [hasRunIn(runStatuses)]),
    ],
  };
}

/** Names have ASCII alone, and the rules of a language would take several times as long. */
const lowerName = sql`lower(w.name collate "C")`;

const hasRunIn = (statuses: readonly string[]): RawBuilder<unknown> => sql`exists (
  select 1 from ws_runs r where r.id = w.current_run_id and r.status = any(${unseen(statuses, 'text[]')}))`;

/** `*` stands for any characters, and every other one for itself. */
const patternOf = (wildcard: string): string =>
  wildcard
    .toLowerCase()
    .replace(/[\\%_]/g, '\\$&')
    .replaceAll('*', '%');
