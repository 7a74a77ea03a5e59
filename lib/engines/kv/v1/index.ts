import type { EngineDefinition } from '../../contract.ts';
import { removeSecrets } from '../shared/removal.ts';
import { secretsRow } from './secrets.ts';

/** Key/value secrets without versions. */
export const kvV1 = {
  type: 'kv',
  version: '1',
  names: ['kv-v1', 'generic'],
  title: 'KV v1',
  first: { when: 'production', path: 'secret/', description: 'key/value secret storage' },
  open: (parts) => ({ rows: [secretsRow(parts)] }),
  removeSecrets,
} as const satisfies EngineDefinition;
