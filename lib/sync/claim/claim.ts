import type { Granularity } from '#destinations/contract.ts';
import type { Unconfirmed } from '../model/unconfirmed.ts';
import type { Written } from '../model/written.ts';

/** An association claimed by this worker. `token` proves the claim: a finish without it is rejected. */
export interface Claimed {
  readonly kind: 'claimed';
  readonly token: string;
  readonly id: string;
  readonly destinationId: string;
  readonly destinationRevision: number;
  readonly destinationName: string;
  readonly namespaceId: string;
  /** With a trailing slash; empty for the root. */
  readonly namespacePath: string;
  readonly type: string;
  readonly mountId: string;
  readonly mountPath: string;
  readonly mountAccessor: string;
  readonly secretName: string;
  readonly granularity: Granularity;
  readonly template: string;
  readonly adopt: boolean;
  readonly desired: 'present' | 'absent';
  readonly generation: number;
  /** Push objects even if they look unchanged. */
  readonly forced: boolean;
  /** Look at objects even if they were looked at recently. */
  readonly verify: boolean;
  /** This generation applies a kept plan: do what that says, or nothing. */
  readonly planned: boolean;
  /**
   * This generation directly follows the last one that was finished. Otherwise an attempt at a generation in between may have
   * pushed something and died, so the records of the objects may be older than the objects themselves.
   */
  readonly recorded: boolean;
  readonly attempts: number;
  /** Undefined when every call of the association was seen to end, or began too long ago to still be applied. */
  readonly unconfirmed: Unconfirmed | undefined;
  /** How far the clock of the database is ahead of this worker's, in milliseconds. */
  readonly storeAheadMs: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly objects: readonly Written[];
  /** Names of the objects that an earlier attempt has already brought in line with this generation. */
  readonly confirmed: readonly string[];
}

export type Claim =
  | Claimed
  /** The sync is disabled: no call may be made. */
  | { readonly kind: 'disabled' }
  /** Its destination is paused: no call may be made. `leftMs`: until the pause ends by itself; null when it has no end. */
  | { readonly kind: 'paused'; readonly leftMs: number | null }
  /** Another worker has claimed it. */
  | { readonly kind: 'busy' }
  /** It was pushed a moment ago; the changes since then wait so that further ones can join them. */
  | { readonly kind: 'early'; readonly waitMs: number }
  /** Nothing to do: it is in line with this generation, or the association no longer exists (the highest safe integer). */
  | { readonly kind: 'clean'; readonly generation: number };
