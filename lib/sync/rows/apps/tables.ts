import type { Generated } from 'kysely';

declare module '../../../store/tables.ts' {
  interface Database {
    repo_host_apps: RepoHostAppsTable;
  }
}

export interface RepoHostAppsTable {
  namespace_id: Generated<string>;
  /** Unique in the namespace. */
  name: string;
  app_id: string;
  /** Sealed PEM, or JSON of it and the addresses of its host. Additional data: `repo_host_apps/[<namespace_id>/]<name>`. */
  private_key: Buffer;
  fingerprint: string;
}
