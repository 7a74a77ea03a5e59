import type { ApiRow } from '../../../path/jsonapi/row.ts';
import { changeOf, eventOf } from './event.ts';
import type { Trail } from './trail.ts';

/**
 * A row whose changes are in the audit trail of their organization before it answers. Signed addresses are open and are not: the
 * request that had them made is.
 */
export function recorded(row: ApiRow, trail: Trail): ApiRow {
  if (row.open === true || row.method === 'GET') return row;
  const change = changeOf(row);
  return {
    ...row,
    async run(call) {
      const reply = await row.run(call);
      const event = eventOf(change, call, reply);
      if (event !== undefined) await trail.add(event);
      return reply;
    },
  };
}
