import type { EngineParts } from '../../contract.ts';
import type { SecretLocation } from '../shared/secret-path.ts';
import type { ReadVersion } from './read/read.ts';
import type { WriteVersion } from './write/write.ts';

/** What the rows of this engine are handed. */
export interface KvParts extends EngineParts {
  readonly readVersion: ReadVersion;
  readonly writeVersion: WriteVersion;
  /** Whether there is such a secret, be it without a version. */
  readonly exists: (location: SecretLocation) => Promise<boolean>;
}
