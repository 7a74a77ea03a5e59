declare module '../../store/tables.ts' {
  interface Database {
    wrapped_replies: WrappedRepliesTable;
  }
}

/** A token that has a row here is a wrapping token. It has one use, which takes the reply and deletes both. */
export interface WrappedRepliesTable {
  token_hash: Buffer;
  /** Sealed text of the reply. Additional data: `wrapped_replies/<token_hash in hex>`. */
  reply: Buffer;
}
