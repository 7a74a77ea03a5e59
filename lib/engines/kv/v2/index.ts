import type { Verb } from '#path/contract/request.ts';
import type { EngineDefinition } from '../../contract.ts';
import { removeSecrets } from '../shared/removal.ts';
import { configRow } from './config.ts';
import { dataRow } from './data.ts';
import { metadataRow } from './metadata/metadata.ts';
import { existenceCheck, versionReader } from './read/read.ts';
import { subkeysRow } from './read/subkeys.ts';
import { currentSecrets, describeBelow, describeSecrets, holdSecrets, secretsBelow } from './source.ts';
import { expireVersions } from './versions/expire.ts';
import { removalRows } from './versions/removal.ts';
import { versionWriter } from './write/write.ts';

/** Key/value secrets with versions. */
export const kvV2 = {
  type: 'kv',
  version: '2',
  names: ['kv-v2'],
  title: 'KV v2',
  first: { when: 'development', path: 'secret/', description: 'key/value secret storage' },
  open(parts) {
    const { store } = parts;
    const kvParts = {
      ...parts,
      readVersion: versionReader(store),
      writeVersion: versionWriter(parts),
      exists: existenceCheck(store),
    };
    return {
      unsupportedPathWarning,
      rows: [dataRow(kvParts), metadataRow(kvParts), subkeysRow(kvParts), configRow(kvParts), ...removalRows(kvParts)],
    };
  },
  removeSecrets,
  expire: expireVersions,
  synced: {
    readPath: (secretName) => `data/${secretName}`,
    open: (parts) => ({
      current: currentSecrets(parts),
      below: secretsBelow(parts),
      hold: holdSecrets(parts),
      describe: describeSecrets(parts),
      describeBelow: describeBelow(parts),
    }),
  },
} as const satisfies EngineDefinition;

/** Existing clients search for this text, which names their own command, when they use the paths of version 1. */
const unsupportedPathWarning = (verb: Verb): string =>
  `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Vault CLI, use 'vault kv ${commands[verb]}' for this operation.`;

const commands = { read: 'get', list: 'list', write: 'put', patch: 'patch', delete: 'delete' } satisfies Record<
  Verb,
  string
>;
