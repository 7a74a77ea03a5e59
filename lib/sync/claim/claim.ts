import type { Granularity } from '../../destinations/contract.ts';
import type { Unconfirmed } from '../recheck/schedule.ts';
import type { Written } from '../reconcile/plan/plan.ts';

/** An association in this worker's hands. `token` proves it: what a worker writes back without it is not taken. */
export interface Claimed {
  readonly kind: 'claimed';
  readonly token: string;
  readonly id: string;
  readonly destinationId: string;
  readonly destinationRevision: number;
  readonly destinationName: string;
  readonly namespaceId?: string;
  readonly namespacePath?: string;
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
  /** Push even what looks unchanged. */
  readonly forced: boolean;
  /** Look even at what was looked at not long ago. */
  readonly verify: boolean;
  /**
   * This generation follows directly on the last one that was written back. Otherwise an attempt at one between may have
   * pushed something and died, so what was recorded of the objects may be older than what is there.
   */
  readonly recorded: boolean;
  readonly attempts: number;
  /** Undefined: every call of the association was seen to end, or so long ago that none of them can come any more. */
  readonly unconfirmed: Unconfirmed | undefined;
  /** How far the clock of the database is ahead of this worker's, in milliseconds. */
  readonly storeAheadMs: number;
  readonly tags: Readonly<Record<string, string>>;
  readonly objects: readonly Written[];
  /** Names of the objects that an attempt has brought in line with this very generation already. */
  readonly confirmed: readonly string[];
}

export type Claim =
  | Claimed
  /** The sync is disabled: nothing may be called. */
  | { readonly kind: 'disabled' }
  /** Another worker has it. */
  | { readonly kind: 'busy' }
  /** It was pushed a moment ago, and what has changed since can wait for what else will. */
  | { readonly kind: 'early'; readonly waitMs: number }
  /** Nothing to do: in line with this generation, or the association is no more (generation 0 means that). */
  | { readonly kind: 'clean'; readonly generation: number };
