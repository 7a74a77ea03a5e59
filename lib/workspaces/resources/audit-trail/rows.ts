import { badRequest } from '#path/jsonapi/error.ts';
import { time } from '#path/jsonapi/fields.ts';
import type { Page } from '#path/jsonapi/page.ts';
import { paged, readBy } from '#path/jsonapi/query.ts';
import type { ApiRow } from '#path/jsonapi/row.ts';
import { operation } from '../../access/needs/operation.ts';
import type { WorkspaceParts } from '../../contract.ts';
import { type EventRow, eventsOf } from './store.ts';

const sizes = { usual: 1_000, largest: 1_000 };

/**
 * The audit trail of the organization that owns the token: the path does not name it. Clients expect plain JSON here, not JSON:API.
 */
export const auditTrailRows = ({ store, auditTrailDays: days }: WorkspaceParts): readonly ApiRow[] => [
  operation({
    method: 'GET',
    path: '/api/v2/organization/audit-trail',
    summary: 'List the audit events of the organization of the token',
    needs: { caller: 'organization' },
    query: { page: paged(sizes), since: readBy(['since'], sinceOf) },
    replies: { 200: { mediaType: 'application/json' } },
    async run({ found, query: { page, since } }) {
      const { events, totalCount } = await store.readOlder((db) =>
        eventsOf({ db }, { organizationId: found.id, since, days }, page),
      );
      const body = { data: events.map(shown), pagination: paginationOf(page, totalCount) };
      return { contentType: 'application/json', bytes: JSON.stringify(body) };
    },
  }),
];

function sinceOf(query: URLSearchParams): Date | undefined {
  const text = query.get('since');
  if (text === null || text === '') return undefined;
  const read = time().safeParse(text);
  if (!read.success) throw badRequest('since must be a time such as 2026-01-31T08:00:00.000Z');
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

/** Names have underscores here, unlike those in JSON:API lists. */
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
