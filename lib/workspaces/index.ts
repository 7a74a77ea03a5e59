import type { Secret } from '../core/secret.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { ClientConnection } from '../path/row.ts';
import type { WorkspaceParts } from './contract.ts';
import { membershipRows } from './memberships/rows.ts';
import { organizationRows } from './organizations/rows.ts';
import { projectRows } from './projects/rows.ts';
import { serviceRows } from './service/rows.ts';
import { teamAccessRows } from './team-access/rows.ts';
import { teamRows } from './teams/rows.ts';
import { findCaller } from './tokens/find.ts';
import { tokenRows } from './tokens/rows.ts';
import { userRows } from './users/rows.ts';

/** The workspace service: its rows, and who calls them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
}

export const openWorkspaces = (parts: WorkspaceParts): Workspaces => ({
  rows: [
    ...membershipRows(parts),
    ...organizationRows(parts),
    ...projectRows(parts),
    ...serviceRows,
    ...teamAccessRows(parts),
    ...teamRows(parts),
    ...tokenRows(parts),
    ...userRows(parts),
  ],
  authenticate: (token, from) => findCaller(parts, token, from),
});
