import type { Json } from '../../../store/tables.ts';

declare module '../../../store/tables.ts' {
  interface Database {
    settings: SettingsTable;
  }
}

/** Settings of the service as a whole that are changed by its API. Nothing sensitive stands here. */
export interface SettingsTable {
  /** `cors`, `ui-headers`. */
  name: string;
  value: Json<unknown>;
}
