/** An object at the destination that we wrote, or were about to write. */
export interface Written {
  readonly subKey: string;
  readonly name: string;
  readonly nameKey: string;
  readonly mark: string;
  readonly intendedAt: Date;
  /** False when we intended to write it and do not know whether that happened. */
  readonly written: boolean;
  /** Milliseconds since it was last written, or last seen unchanged. */
  readonly seenMsAgo: number | null;
  readonly remoteVersion: string | null;
  readonly fingerprint: Buffer | null;
  readonly tagKeys: readonly string[];
  /** `done`: removed, and remembered because a late write may bring it back. `due`: to be removed once more. */
  readonly removal: 'none' | 'done' | 'due';
}
