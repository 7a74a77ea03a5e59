import type { Mount } from '../../../path/row.ts';
import type { Changed } from '../../../store/outbox.ts';
import type { EngineDefinition, Mounts } from '../../contract.ts';

/** What the rows of mounts are handed. */
export interface MountParts {
  readonly mounts: Mounts;
  /** What can be mounted. */
  readonly engines: readonly EngineDefinition[];
  readonly changed: Changed;
}

/** Auth methods are mounts too, but have rows of their own. */
export const isSecretMount = (mount: Mount): boolean => !mount.path.startsWith('auth/');
