declare module '../../store/tables.ts' {
  interface Database {
    cubbyhole: CubbyholeTable;
  }
}

/** Secrets that belong to one token and are deleted with it. */
export interface CubbyholeTable {
  token_hash: Buffer;
  path: string;
  /** Sealed JSON object. Additional data: `cubbyhole/<token_hash in hex>/<path>`. */
  data: Buffer;
}
