import { notFound } from '../../path/jsonapi/error.ts';
import type { ApiRow } from '../../path/jsonapi/row.ts';

/** A row that tokens of audit trails cannot use unless it says so: they are of an organization and have none of its rights. */
export function guarded(row: ApiRow): ApiRow {
  if (row.open === true || row.forAuditTrails === true) return row;
  return {
    ...row,
    async run(call) {
      if (call.caller.kind === 'audit-trail') throw notFound();
      return row.run(call);
    },
  };
}
