import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    userpass_users: UserpassUsersTable;
  }
}

/** Users of mounts of the type `userpass`. */
export interface UserpassUsersTable {
  mount_id: string;
  /** Lower-cased. */
  name: string;
  /** Sealed hash (bcrypt). Additional data: `userpass_users/<mount_id>/<name>`. */
  password: Buffer;
  /** The cost of the hash; null: not known until the user logs in. */
  cost: number | null;
  settings: Json<Record<string, unknown>>;
  updated_at: Timestamp;
}
