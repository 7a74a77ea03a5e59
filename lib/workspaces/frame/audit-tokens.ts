import { notFound } from '../../path/jsonapi/error.ts';
import type { ApiRow } from '../../path/jsonapi/row.ts';

/** A row that tokens of audit trails cannot use. They belong to an organization, have none of its rights, and nothing reads a trail here. */
export function guarded(row: ApiRow): ApiRow {
  if (row.open === true) return row;
  return {
    ...row,
    async run(call) {
      if (call.caller.kind === 'audit-trail') throw notFound();
      return row.run(call);
    },
  };
}
