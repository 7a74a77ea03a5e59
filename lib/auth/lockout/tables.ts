import type { Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    login_failures: LoginFailuresTable;
  }
}

/** Wrong credentials of those who exist. */
export interface LoginFailuresTable {
  namespace_id: string;
  mount_id: string;
  /** What the method knows somebody by. */
  alias: string;
  /** Since the last success; one that is older than the reset window does not count. */
  failures: number;
  failed_at: Timestamp;
  /** Null: not locked out. */
  locked_until: Timestamp | null;
  /** After this the row says nothing any more. */
  forget_at: Timestamp;
}
