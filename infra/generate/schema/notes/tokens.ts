import type { TableNote, TableNotes } from '../note.ts';

const namedTexts: TableNote = { columns: { name: 'In lower case.', text: 'As it was written.' } };

export const tokens: TableNotes = {
  password_policies: namedTexts,
  policies: namedTexts,
  token_roles: {},
  token_tidy: {
    about: 'The run of tidy that is in progress, or the last one.',
    columns: {
      held_until: 'Another run may begin after this time: the process of this run has died.',
    },
  },
  tokens: {
    columns: {
      hash: 'Keyed hash of the token.',
      num_uses: '0: unlimited; -1: used up.',
      period: 'Seconds; 0: the token is not periodic.',
      explicit_max_ttl: 'Seconds; 0: no limit of its own.',
      creation_ttl: 'Seconds.',
      expire_at: 'Null: never.',
      revoked_at: 'The token and its tree are refused since this time; null unless it is being revoked.',
      login_role: 'The role of the login that created it; otherwise empty.',
      in_use_until: 'For a used-up token: the request of its last use may need it until this time.',
    },
    json: { meta: 'textMap' },
  },
  wrapped_replies: {
    about: 'A token with a row here is a wrapping token. It has one use, which takes the reply and deletes both rows.',
    columns: { reply: 'Sealed text of the reply. Additional data: `wrapped_replies/<token_hash in hex>`.' },
  },
};
