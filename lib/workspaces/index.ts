import type { Secret } from '../core/secret.ts';
import type { NetworkBounds } from '../network/bounds.ts';
import { openMail, type SmtpSettings } from '../network/mail.ts';
import type { ClientConnection } from '../path/contract/request.ts';
import type { ApiCaller, ApiRow } from '../path/jsonapi/row.ts';
import type { WorkspaceParts } from './contract.ts';
import { guarded } from './frame/audit-tokens.ts';
import { openWebhooks } from './frame/webhooks.ts';
import { agentPoolRows } from './organization/agent-pools/rows.ts';
import { recorded } from './organization/audit-trail/recorded.ts';
import { auditTrailRows } from './organization/audit-trail/rows.ts';
import { openTrail } from './organization/audit-trail/trail.ts';
import { oauthClientRows } from './organization/oauth/clients/rows.ts';
import { oauthTokenRows } from './organization/oauth/tokens/rows.ts';
import { organizationRows } from './organization/organizations/rows.ts';
import { projectRows } from './organization/projects/rows.ts';
import { reservedTagKeyRows } from './organization/reserved-tag-keys/rows.ts';
import { sshKeyRows } from './organization/ssh-keys/rows.ts';
import { membershipRows } from './people/memberships/rows.ts';
import { teamAccessRows } from './people/team-access/rows.ts';
import { teamRows } from './people/teams/rows.ts';
import { findCaller } from './people/tokens/find.ts';
import { tokenRows } from './people/tokens/rows.ts';
import { userRows } from './people/users/rows.ts';
import { configurationVersionRows } from './runs/configuration-versions/rows.ts';
import { notificationRows } from './runs/notifications/rows.ts';
import { runTriggerRows } from './runs/run-triggers/rows.ts';
import { runRows } from './runs/runs/rows.ts';
import { serviceRows, versions } from './service/rows.ts';
import { stateVersionRows } from './states/state-versions/rows.ts';
import { variableSetRows } from './variables/variable-sets/rows.ts';
import { setVariableRows } from './variables/variable-sets/variables.ts';
import { variableRows } from './variables/variables/rows.ts';
import { consumerRows } from './workspace/consumers/rows.ts';
import { lockRows } from './workspace/lock/rows.ts';
import { retentionRows } from './workspace/retention/rows.ts';
import { tagBindingRows } from './workspace/tag-bindings/rows.ts';
import { tagRows } from './workspace/tags/rows.ts';
import { workspaceRows } from './workspace/workspaces/rows.ts';

/** The workspace service: its rows, and who calls them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  /** Of every answer. */
  readonly headers: Readonly<Record<string, string>>;
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
  close(): Promise<void>;
}

export interface OpenParts extends Omit<WorkspaceParts, 'webhooks' | 'mail'> {
  /** What the operator lets the server call. */
  readonly networkBounds: NetworkBounds;
  /** Undefined: no e-mail is sent. */
  readonly smtp: SmtpSettings | undefined;
}

export function openWorkspaces({ networkBounds, smtp, ...others }: OpenParts): Workspaces {
  const webhooks = openWebhooks(networkBounds);
  const parts = { ...others, webhooks, mail: smtp === undefined ? undefined : openMail(smtp) };
  const trail = openTrail(parts);
  return {
    rows: allRows(parts).map((row) => recorded(guarded(row), trail)),
    headers: versions,
    authenticate: (token, from) => findCaller(parts, token, from),
    close: () => webhooks.close(),
  };
}

/** All operations of the workspace service. Their order means nothing. */
const allRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...agentPoolRows(parts),
  ...auditTrailRows(parts),
  ...configurationVersionRows(parts),
  ...consumerRows(parts),
  ...lockRows(parts),
  ...membershipRows(parts),
  ...notificationRows(parts),
  ...oauthClientRows(parts),
  ...oauthTokenRows(parts),
  ...organizationRows(parts),
  ...projectRows(parts),
  ...reservedTagKeyRows(parts),
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
