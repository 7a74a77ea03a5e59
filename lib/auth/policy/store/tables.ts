import type { Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    policies: NamedTextsTable;
    password_policies: NamedTextsTable;
  }
}

export interface NamedTextsTable {
  namespace_id: string;
  /** In lower case. */
  name: string;
  /** As it was written. */
  text: string;
  updated_at: Timestamp;
}
