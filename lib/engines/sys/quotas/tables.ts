import type { Generated } from 'kysely';
import type { Json } from '../../../store/tables.ts';
import type { LeaseCount, RateLimit } from './quota.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    quotas: QuotasTable;
  }
}

export interface QuotasTable {
  namespace_id: Generated<string>;
  /** `rate-limit` or `lease-count`. */
  kind: string;
  name: string;
  /** Its form depends on the kind. */
  quota: Json<RateLimit | LeaseCount>;
}
