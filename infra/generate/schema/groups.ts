import type { TableNotes } from './note.ts';
import { connections } from './notes/connections.ts';
import { identity } from './notes/identity.ts';
import { installation } from './notes/installation.ts';
import { logins } from './notes/logins.ts';
import { mounts } from './notes/mounts.ts';
import { notices } from './notes/notices.ts';
import { organizations } from './notes/organizations.ts';
import { runs } from './notes/runs.ts';
import { secrets } from './notes/secrets.ts';
import { states } from './notes/states.ts';
import { sync } from './notes/sync.ts';
import { tokens } from './notes/tokens.ts';
import { variables } from './notes/variables.ts';
import { workspaces } from './notes/workspaces.ts';

/** The files of `lib/store/tables/` with their tables. Each table is in one of them. */
export const groups: Readonly<Record<string, TableNotes>> = {
  connections,
  identity,
  installation,
  logins,
  mounts,
  notices,
  organizations,
  runs,
  secrets,
  states,
  sync,
  tokens,
  variables,
  workspaces,
};
