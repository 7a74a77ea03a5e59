import type { Json, Timestamp } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    auth_configs: AuthConfigsTable;
    auth_roles: AuthRolesTable;
  }
}

export interface AuthConfigsTable {
  mount_id: string;
  /** Sealed JSON. Additional data: `auth_configs/<mount_id>`. */
  config: Buffer;
  updated_at: Timestamp;
}

/** Roles of methods. Nothing in them is sensitive. */
export interface AuthRolesTable {
  mount_id: string;
  name: string;
  settings: Json<object>;
  updated_at: Timestamp;
}
