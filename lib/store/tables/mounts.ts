// Written by `npm run generate` from the migrated schema and infra/generate/schema/notes/mounts.ts.
import { bool, bytea, jsonObject, nullable, text, textMap, timestamptz, uuid, withDefault } from '../sql/kinds.ts';

/** Moves of mounts that have ended; the newest are kept. */
export const mountMovesTable = {
  id: uuid,
  /** With a trailing slash, as `target`. */
  source: text,
  target: text,
  ended_at: timestamptz,
  namespace_id: withDefault(text),
};

export const mountsTable = {
  id: withDefault(uuid),
  /** In the namespace, with a trailing slash; auth methods are at `auth/<path>/`. */
  path: text,
  type: text,
  accessor: text,
  description: text,
  options: nullable(textMap),
  config: jsonObject,
  local: bool,
  seal_wrap: bool,
  created_at: withDefault(timestamptz),
  namespace_id: withDefault(text),
  /** When it was disabled; its content is being removed, and its path leads nowhere. Null while it is mounted. */
  removed_at: nullable(timestamptz),
  removed_path: nullable(text),
};

/** Namespaces other than the root. */
export const namespacesTable = {
  /** Five characters of base 62; tokens of the namespace end in it. */
  id: text,
  uuid: withDefault(uuid),
  /** The full path, with a trailing slash. */
  path: text,
  custom_metadata: textMap,
  /** Keyed hash of the key that unlocks the namespace; null while it is not locked. */
  unlock_key: nullable(bytea),
  /** When its deletion began; null while it is in use. */
  deleted_at: nullable(timestamptz),
};
