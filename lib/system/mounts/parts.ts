import type { Namespace } from '#core/namespace.ts';
import type { Mounts, MountType } from '#mounts/contract/mounts.ts';
import type { EnqueueDirty } from '#store/outbox.ts';

/** The parts of the rows about mounts. */
export interface MountParts {
  readonly mounts: Mounts;
  /** The types that can be mounted. */
  readonly engines: readonly MountType[];
  readonly changed: EnqueueDirty;
  /** The auth methods that can be enabled. */
  readonly methods: readonly { readonly type: string }[];
  /** Revokes the tokens of logins below a full path without a trailing slash. */
  readonly revokeBelow: (namespace: Namespace, path: string, signal: AbortSignal) => Promise<void>;
}
