import type { Engine } from '../../../path/row.ts';
import type { EngineParts } from '../../contract.ts';
import { secretsRow } from './secrets.ts';

/** Key/value secrets without versions: the engine of mounts of type `kv` that are not version 2. */
export function kvV1(parts: EngineParts): Engine {
  return {
    type: 'kv',
    matches: (mount) => mount.options?.['version'] !== '2',
    rows: [secretsRow(parts)],
  };
}
