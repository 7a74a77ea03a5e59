declare module '../../store/tables.ts' {
  interface Database {
    audit_devices: AuditDevicesTable;
    audit_headers: AuditHeadersTable;
  }
}

export interface AuditDevicesTable {
  id: string;
  path: string;
  type: string;
  description: string;
  local: boolean;
  /** Sealed: the options, which may hold credentials, and the salt. */
  settings: Buffer;
}

/** Headers of requests that are recorded. */
export interface AuditHeadersTable {
  /** In small letters. */
  name: string;
  hmac: boolean;
}
