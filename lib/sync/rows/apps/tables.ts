declare module '../../../store/tables.ts' {
  interface Database {
    repo_host_apps: RepoHostAppsTable;
  }
}

export interface RepoHostAppsTable {
  name: string;
  app_id: string;
  /** Sealed PEM, or JSON of it and the addresses of its host. Additional data: `repo_host_apps/<name>`. */
  private_key: Buffer;
  fingerprint: string;
}
