declare module '../../../store/tables.ts' {
  interface Database {
    sync_config: SyncConfigTable;
  }
}

export interface SyncConfigTable {
  id: number;
  disabled: boolean;
  queue_capacity: number;
}
