import { type RawBuilder, sql } from 'kysely';
import { badRequest } from '../../../path/jsonapi/error.ts';

/** An order of workspaces `w`, the same on every page. */
export interface Order {
  readonly by: RawBuilder<unknown>;
  /** A join that it needs. */
  readonly join: RawBuilder<unknown>;
}

const none = sql``;
const currentRun = sql`left join ws_runs o on o.id = w.current_run_id`;

/** Each ends in what is unique. Who has no run comes last, whichever way. */
const orders: Readonly<Record<string, Order>> = {
  name: { by: sql`lower(w.name)`, join: none },
  '-name': { by: sql`lower(w.name) desc`, join: none },
  'latest-change-at': { by: sql`w.latest_change_at, w.id`, join: none },
  '-latest-change-at': { by: sql`w.latest_change_at desc, w.id desc`, join: none },
  'current-run.created-at': { by: sql`o.created_at nulls last, w.id`, join: currentRun },
  '-current-run.created-at': { by: sql`o.created_at desc nulls last, w.id`, join: currentRun },
};

/** By name unless a request says otherwise. @throws ApiError 400 for an order that there is not */
export function orderOf(query: URLSearchParams): Order {
  const sort = query.get('sort') || 'name';
  const found = Object.hasOwn(orders, sort) ? orders[sort] : undefined;
  if (found !== undefined) return found;
  throw badRequest(`sort has to be one of ${Object.keys(orders).join(', ')}`);
}
