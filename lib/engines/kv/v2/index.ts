import type { Engine, Verb } from '../../../path/row.ts';
import type { EngineParts, SecretSource } from '../../contract.ts';
import { configRow } from './config.ts';
import { dataRow } from './data.ts';
import { metadataRow } from './metadata/metadata.ts';
import { existenceCheck, versionReader } from './read/read.ts';
import { subkeysRow } from './read/subkeys.ts';
import { currentSecrets } from './source/current.ts';
import { holdSecret } from './source/hold.ts';
import { removalRows } from './versions/removal.ts';
import { versionWriter } from './write/write.ts';

/**
 * Key/value secrets with versions: the engine of mounts of type `kv` with `options.version` "2", and what the sync reads of
 * it.
 */
export function kvV2(parts: EngineParts): { readonly engine: Engine } & SecretSource {
  const { store } = parts;
  const kvParts = {
    ...parts,
    readVersion: versionReader(store),
    writeVersion: versionWriter(parts),
    exists: existenceCheck(store),
  };
  const engine: Engine = {
    type: 'kv',
    matches: (mount) => mount.options?.['version'] === '2',
    unsupportedPathWarning,
    rows: [dataRow(kvParts), metadataRow(kvParts), subkeysRow(kvParts), configRow(kvParts), ...removalRows(kvParts)],
  };
  return { engine, current: currentSecrets(parts), hold: holdSecret };
}

/** Existing clients look for this text (it names their own command) when they use the paths of version 1. */
const unsupportedPathWarning = (verb: Verb): string =>
  `Invalid path for a versioned K/V secrets engine. See the API docs for the appropriate API endpoints to use. If using the Vault CLI, use 'vault kv ${commands[verb]}' for this operation.`;

const commands = { read: 'get', list: 'list', write: 'put', patch: 'patch', delete: 'delete' } satisfies Record<
  Verb,
  string
>;
