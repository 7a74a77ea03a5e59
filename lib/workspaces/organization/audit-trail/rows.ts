import { badRequest, notFound } from '../../../path/jsonapi/error.ts';
import { time } from '../../../path/jsonapi/fields.ts';
import { type Page, pageOf } from '../../../path/jsonapi/page.ts';
import type { ApiCall, ApiReply, ApiRow } from '../../../path/jsonapi/row.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type EventRow, eventsOf } from './store.ts';

/** The audit trail of the organization whose token it is. The family answers it as plain JSON, not as JSON:API. */
export const auditTrailRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  {
    method: 'GET',
    path: '/api/v2/organization/audit-trail',
    summary: 'What was changed in the organization of the token',
    forAuditTrails: true,
    run: (call) => listEvents(parts, call),
  },
];

const sizes = { usual: 1_000, largest: 1_000 };

/** The path names no organization: a token of one does. @throws ApiError 404 for users and teams, 400 */
async function listEvents({ store, auditTrailDays: days }: WorkspaceParts, call: ApiCall): Promise<ApiReply> {
  const { caller, query } = call;
  if (caller.kind !== 'organization' && caller.kind !== 'audit-trail') throw notFound();
  const page = pageOf(query, sizes);
  const since = sinceOf(query);
  const { events, totalCount } = await store.readOlder((db) =>
    eventsOf({ db }, { organizationId: caller.id, since, days }, page),
  );
  const body = { data: events.map(shown), pagination: paginationOf(page, totalCount) };
  return { contentType: 'application/json', bytes: JSON.stringify(body) };
}

function sinceOf(query: URLSearchParams): Date | undefined {
  const text = query.get('since');
  if (text === null || text === '') return undefined;
  const read = time().safeParse(text);
  if (!read.success) throw badRequest('since has to be a time such as 2026-01-31T08:00:00.000Z');
  return read.data;
}

const shown = (event: EventRow) => ({
  id: event.id,
  version: '0',
  type: 'Resource',
  timestamp: event.made_at.toISOString(),
  auth: {
    accessor_id: event.actor_id,
    description: event.actor_name,
    type: 'Client',
    impersonator_id: null,
    organization_id: event.organization_id,
  },
  request: { id: event.request_id },
  resource: { id: event.resource_id, type: event.resource_type, action: event.action, meta: null },
});

/** Its names have underscores, unlike those of lists of JSON:API. */
function paginationOf({ number, size }: Page, totalCount: number) {
  const total = Math.max(1, Math.ceil(totalCount / size));
  return {
    current_page: number,
    prev_page: number > 1 ? number - 1 : null,
    next_page: number < total ? number + 1 : null,
    total_pages: total,
    total_count: totalCount,
  };
}
