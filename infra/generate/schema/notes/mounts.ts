import type { TableNotes } from '../note.ts';

export const mounts: TableNotes = {
  mount_moves: {
    about: 'Moves of mounts that have ended; the newest are kept.',
    columns: { source: 'With a trailing slash, as `target`.' },
  },
  mounts: {
    columns: {
      path: 'In the namespace, with a trailing slash; auth methods are at `auth/<path>/`.',
      removed_at:
        'When it was disabled; its content is being removed, and its path leads nowhere. Null while it is mounted.',
    },
    json: { config: 'jsonObject', options: 'textMap' },
  },
  namespaces: {
    about: 'Namespaces other than the root.',
    columns: {
      id: 'Five characters of base 62; tokens of the namespace end in it.',
      path: 'The full path, with a trailing slash.',
      unlock_key: 'Keyed hash of the key that unlocks the namespace; null while it is not locked.',
      deleted_at: 'When its deletion began; null while it is in use.',
    },
    json: { custom_metadata: 'textMap' },
  },
};
