import type { Secret } from '../core/secret.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { ClientConnection } from '../path/row.ts';
import { agentPoolRows } from './agent-pools/rows.ts';
import { consumerRows } from './consumers/rows.ts';
import type { WorkspaceParts } from './contract.ts';
import { lockRows } from './lock/rows.ts';
import { oauthClientRows } from './oauth/clients/rows.ts';
import { oauthTokenRows } from './oauth/tokens/rows.ts';
import { retentionRows } from './retention/rows.ts';
import { serviceRows } from './service/rows.ts';
import { sshKeyRows } from './ssh-keys/rows.ts';
import { tagBindingRows } from './tag-bindings/rows.ts';
import { tagRows } from './tags/rows.ts';
import { findCaller } from './tokens/find.ts';

/** The workspace service: its rows, and who calls them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
}

export const openWorkspaces = (parts: WorkspaceParts): Workspaces => ({
  rows: [
    ...agentPoolRows(parts),
    ...consumerRows(parts),
    ...lockRows(parts),
    ...oauthClientRows(parts),
    ...oauthTokenRows(parts),
    ...retentionRows(parts),
    ...serviceRows,
    ...sshKeyRows(parts),
    ...tagBindingRows(parts),
    ...tagRows(parts),
  ],
  authenticate: (token, from) => findCaller(parts, token, from),
});
