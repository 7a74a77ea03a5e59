import type { Timestamp } from '../../store/tables.ts';

declare module '../../store/tables.ts' {
  interface Database {
    login_failures: LoginFailuresTable;
  }
}

/** Wrong credentials. Each row is of one name at one mount, or says that a part of a mount has had too many names. */
export interface LoginFailuresTable {
  namespace_id: string;
  mount_id: string;
  /** What the method knows a user or role by. Starts with U+0001: no user's or role's (`aliases.ts`). */
  alias: string;
  /** Names of a mount are spread over parts, which hold a limited number each. */
  part: number;
  /** Since the last success; one that is older than the reset window does not count. */
  failures: number;
  failed_at: Timestamp;
  /** Null: not locked out. */
  locked_until: Timestamp | null;
  /** After this the row says nothing any more. */
  forget_at: Timestamp;
}
