import type { Changed } from '../../../store/outbox.ts';
import type { EngineDefinition, Mounts } from '../../contract.ts';

/** What the rows of mounts are handed. */
export interface MountParts {
  readonly mounts: Mounts;
  /** What can be mounted. */
  readonly engines: readonly EngineDefinition[];
  readonly changed: Changed;
  /** Auth methods that can be enabled. */
  readonly methods: readonly { readonly type: string }[];
  /** Revokes the tokens of logins below a full path, which has no slash at its end. */
  readonly revokeBelow: (path: string, signal: AbortSignal) => Promise<void>;
}
