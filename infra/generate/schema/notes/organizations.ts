import type { TableNotes } from '../note.ts';

export const organizations: TableNotes = {
  ws_audit_events: {},
  ws_grants: { about: 'What a team may do in one workspace or one project.' },
  ws_memberships: { columns: { user_id: 'Null until the invitation is accepted by an unknown address.' } },
  ws_organizations: { columns: { removed_at: 'When its deletion began; null while it is in use.' } },
  ws_projects: {},
  ws_team_members: {},
  ws_teams: {},
  ws_tokens: {
    about: 'Tokens of users, teams and organizations: each belongs to exactly one.',
    columns: { hash: 'Keyed hash of the token.' },
  },
  ws_users: {},
};
