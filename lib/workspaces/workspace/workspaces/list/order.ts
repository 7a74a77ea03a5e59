import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../../path/jsonapi/error.ts';

/** An order of workspaces `w`, the same on every page: those of one key are ordered by their ids. */
export interface Order {
  readonly key: RawBuilder<unknown>;
  readonly direction: RawBuilder<unknown>;
  /** A join that the key needs. */
  readonly join: RawBuilder<unknown>;
  /** In one organization no two have the same key. */
  readonly isUnique: boolean;
}

interface Key extends Pick<Order, 'key' | 'join'> {
  readonly isUnique?: boolean;
  /** Who has none comes last, whichever way. Without such, indexes serve both ways. */
  readonly isOptional?: boolean;
}

const none = sql``;

const name = { key: sql`lower(w.name)`, join: none, isUnique: true };

export const byName: Order = { ...name, direction: sql`asc` };

const keys: Readonly<Record<string, Key>> = {
  name,
  'latest-change-at': { key: sql`w.latest_change_at`, join: none },
  'current-run.created-at': {
    ...{ key: sql`o.created_at`, join: sql`left join ws_runs o on o.id = w.current_run_id` },
    isOptional: true,
  },
};

/** By name unless a request says otherwise, `-` for the other way. @throws ApiError 400 for an order that there is not */
export function orderOf(query: URLSearchParams): Order {
  const sort = query.get('sort') || 'name';
  const isReversed = sort.startsWith('-');
  const asked = isReversed ? sort.slice(1) : sort;
  const found = Object.hasOwn(keys, asked) ? keys[asked] : undefined;
  if (found === undefined)
    throw badRequest(`sort has to be one of ${Object.keys(keys).join(', ')}, or one of them behind -`);
  const { key, join, isUnique = false, isOptional = false } = found;
  const direction = isReversed ? sql`desc` : sql`asc`;
  return { key, join, isUnique, direction: isOptional ? sql`${direction} nulls last` : direction };
}
