import type { ApiRow } from '../path/jsonapi/row.ts';
import { agentPoolRows } from './agent-pools/rows.ts';
import { configurationVersionRows } from './configuration-versions/rows.ts';
import { consumerRows } from './consumers/rows.ts';
import type { WorkspaceParts } from './contract.ts';
import { lockRows } from './lock/rows.ts';
import { membershipRows } from './memberships/rows.ts';
import { notificationRows } from './notifications/rows.ts';
import { oauthClientRows } from './oauth/clients/rows.ts';
import { oauthTokenRows } from './oauth/tokens/rows.ts';
import { organizationRows } from './organizations/rows.ts';
import { projectRows } from './projects/rows.ts';
import { retentionRows } from './retention/rows.ts';
import { runTriggerRows } from './run-triggers/rows.ts';
import { runRows } from './runs/rows.ts';
import { serviceRows } from './service/rows.ts';
import { sshKeyRows } from './ssh-keys/rows.ts';
import { stateVersionRows } from './state-versions/rows.ts';
import { tagBindingRows } from './tag-bindings/rows.ts';
import { tagRows } from './tags/rows.ts';
import { teamAccessRows } from './team-access/rows.ts';
import { teamRows } from './teams/rows.ts';
import { tokenRows } from './tokens/rows.ts';
import { userRows } from './users/rows.ts';
import { variableSetRows } from './variable-sets/rows.ts';
import { setVariableRows } from './variable-sets/variables.ts';
import { variableRows } from './variables/rows.ts';
import { workspaceRows } from './workspace/rows.ts';

/** All operations of the workspace service. Their order means nothing. */
export const allRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...agentPoolRows(parts),
  ...configurationVersionRows(parts),
  ...consumerRows(parts),
  ...lockRows(parts),
  ...membershipRows(parts),
  ...notificationRows(parts),
  ...oauthClientRows(parts),
  ...oauthTokenRows(parts),
  ...organizationRows(parts),
  ...projectRows(parts),
  ...retentionRows(parts),
  ...runTriggerRows(parts),
  ...runRows(parts),
  ...serviceRows,
  ...sshKeyRows(parts),
  ...stateVersionRows(parts),
  ...tagBindingRows(parts),
  ...tagRows(parts),
  ...teamAccessRows(parts),
  ...teamRows(parts),
  ...tokenRows(parts),
  ...userRows(parts),
  ...variableSetRows(parts),
  ...setVariableRows(parts),
  ...variableRows(parts),
  ...workspaceRows(parts),
];
