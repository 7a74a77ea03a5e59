import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';

/** An order of workspaces `w`, the same on every page: those of one key are ordered by their ids. */
export interface Order {
  readonly key: RawBuilder<unknown>;
  /** Who has no key comes last, whichever way. */
  readonly direction: RawBuilder<unknown>;
  /** A join that the key needs. */
  readonly join: RawBuilder<unknown>;
}

type Key = Pick<Order, 'key' | 'join'>;

const none = sql``;

/** Names by their bytes, so that the order does not depend on the database's language. */
const keys: Readonly<Record<string, Key>> = {
  name: { key: sql`lower(w.name) collate "C"`, join: none },
  'latest-change-at': { key: sql`w.latest_change_at`, join: none },
  'current-run.created-at': { key: sql`o.created_at`, join: sql`left join ws_runs o on o.id = w.current_run_id` },
};

/** By name unless a request says otherwise, `-` for the other way. @throws ApiError 400 for an order that there is not */
export function orderOf(query: URLSearchParams): Order {
  const sort = query.get('sort') || 'name';
  const isReversed = sort.startsWith('-');
  const name = isReversed ? sort.slice(1) : sort;
  const key = Object.hasOwn(keys, name) ? keys[name] : undefined;
  if (key === undefined)
    throw badRequest(`sort has to be one of ${Object.keys(keys).join(', ')}, or one of them behind -`);
  return { ...key, direction: isReversed ? sql`desc nulls last` : sql`asc nulls last` };
}
