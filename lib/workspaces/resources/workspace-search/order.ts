import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '#path/jsonapi/error.ts';

/** A stable order of workspaces `w`: equal keys are ordered by id. */
export interface Order {
  readonly key: RawBuilder<unknown>;
  readonly direction: RawBuilder<unknown>;
  /** A join that the key needs. */
  readonly join: RawBuilder<unknown>;
  /** Keys are unique within an organization. */
  readonly isUnique: boolean;
}

interface Key extends Pick<Order, 'key' | 'join'> {
  readonly isUnique?: boolean;
  /** Missing keys come last in both directions. Without missing keys an index serves both directions. */
  readonly isOptional?: boolean;
}

const none = sql``;

const name = { key: sql`lower(w.name)`, join: none, isUnique: true };

export const byName: Order = { ...name, direction: sql`asc` };

const keys: Readonly<Record<string, Key>> = {
  name,
  'latest-change-at': { key: sql`w.latest_change_at`, join: none },
  'current-run.created-at': {
    key: sql`o.created_at`,
    join: sql`left join ws_runs o on o.id = w.current_run_id`,
    isOptional: true,
  },
};

/** By name unless the request has `sort`; a leading `-` means descending. @throws ApiError 400 for an unknown order */
export function orderOf(query: URLSearchParams): Order {
  const sort = query.get('sort') || 'name';
  const isReversed = sort.startsWith('-');
  const asked = isReversed ? sort.slice(1) : sort;
  const found = Object.hasOwn(keys, asked) ? keys[asked] : undefined;
  if (found === undefined)
    throw badRequest(`sort must be one of ${Object.keys(keys).join(', ')}, with a leading - for descending order`);
  const { key, join, isUnique = false, isOptional = false } = found;
  const direction = isReversed ? sql`desc` : sql`asc`;
  return { key, join, isUnique, direction: isOptional ? sql`${direction} nulls last` : direction };
}
