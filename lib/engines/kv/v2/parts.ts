import type { EngineRowParts } from '../../contract.ts';
import type { SecretLocation } from '../shared/secret-path.ts';
import type { WriteParts } from './write/write.ts';

/** The parts the rows of this engine work with. */
export interface KvParts extends WriteParts, EngineRowParts {
  /** Whether a secret exists, even without a version. */
  readonly exists: (location: SecretLocation) => Promise<boolean>;
}
