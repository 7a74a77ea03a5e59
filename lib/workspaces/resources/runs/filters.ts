import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';
import { statusGroups } from '../run-lifecycle/status.ts';
import { isShownAs } from '../run-lifecycle/store.ts';

const valuesMax = 100;

/** The parameters of a list of runs that narrow it. */
export const filterParameters = [
  'filter[status]',
  'filter[status_group]',
  'filter[operation]',
  'filter[source]',
  'search[basic]',
  'search[user]',
];

/**
 * The condition on runs `r` for the filters of a list: `filter[status]`, `filter[status_group]`, `filter[operation]`,
 * `filter[source]`, `search[basic]` and `search[user]`. Statuses that this service does not use match nothing.
 *
 * @throws ApiError 400 for an unknown group or operation
 */
export function runCondition(query: URLSearchParams): RawBuilder<unknown> {
  const conditions = [
    ...listed(query, 'filter[status]', undefined, (values) => isShownAs('r', values)),
    ...listed(query, 'filter[status_group]', Object.keys(statusGroups), groupCondition),
    ...listed(query, 'filter[operation]', Object.keys(operations), operationCondition),
    ...listed(query, 'filter[source]', undefined, (values) => sql`r.source = any(${values}::text[])`),
    ...searched(
      query,
      'search[basic]',
      (text) => sql`(r.id = ${text} or position(lower(${text}) in lower(r.message)) > 0)`,
    ),
    ...searched(
      query,
      'search[user]',
      (text) => sql`r.created_by in (select id from ws_users where lower(username) = lower(${text}))`,
    ),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

/** Conditions for runs by their operation. */
const operations: Readonly<Record<string, RawBuilder<unknown>>> = {
  plan_only: sql`r.plan_only`,
  plan_and_apply: sql`(not r.plan_only and coalesce(r.settings->>'is-destroy', '') <> 'true')`,
  save_plan: sql`r.settings->>'save-plan' = 'true'`,
  refresh_only: sql`r.settings->>'refresh-only' = 'true'`,
  destroy: sql`r.settings->>'is-destroy' = 'true'`,
  empty_apply: sql`r.settings->>'allow-empty-apply' = 'true'`,
};

const operationCondition = (values: readonly string[]): RawBuilder<unknown> =>
  sql`(${sql.join(
    values.map((value) => operations[value] ?? sql`false`),
    sql` or `,
  )})`;

const groupCondition = (values: readonly string[]): RawBuilder<unknown> =>
  sql`r.status = any(${values.flatMap((value) => statusGroups[value] ?? [])}::text[])`;

function listed(
  query: URLSearchParams,
  name: string,
  known: readonly string[] | undefined,
  condition: (values: readonly string[]) => RawBuilder<unknown>,
): readonly RawBuilder<unknown>[] {
  const values = (query.get(name) ?? '')
    .split(',')
    .map((value) => value.trim())
    .filter((value) => value !== '');
  if (values.length === 0) return [];
  if (values.length > valuesMax) throw badRequest(`${name} may have at most ${valuesMax} values`);
  if (known !== undefined && values.some((value) => !known.includes(value)))
    throw badRequest(`${name} may have ${known.join(', ')}`);
  return [condition(values)];
}

function searched(
  query: URLSearchParams,
  name: string,
  condition: (text: string) => RawBuilder<unknown>,
): readonly RawBuilder<unknown>[] {
  const text = query.get(name) ?? '';
  return text === '' ? [] : [condition(text)];
}
