import type { Secret } from '#core/secret.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import type { GitSettings } from '#network/git/settings.ts';
import { openMail, type SmtpSettings } from '#network/mail.ts';
import { openWebhooks } from '#network/webhooks.ts';
import type { ClientConnection } from '#path/contract/request.ts';
import type { ApiCaller, ApiRow, FindNeeded } from '#path/jsonapi/row.ts';
import { needsFinder } from './access/needs/needs.ts';
import type { WorkspaceParts } from './contract.ts';
import { adminRows } from './resources/admin/rows.ts';
import { Board, releasing } from './resources/agent-jobs/board.ts';
import { agentJobRows } from './resources/agent-jobs/rows.ts';
import { noteWaiting } from './resources/agent-jobs/why.ts';
import { agentPoolRows } from './resources/agent-pools/rows.ts';
import { agentRows } from './resources/agents/rows.ts';
import { assessmentRows } from './resources/assessment-runs/rows.ts';
import { auditTrailRows } from './resources/audit-trail/rows.ts';
import { openTrail, recorded } from './resources/audit-trail/trail.ts';
import { callerFinder } from './resources/authentication-tokens/find.ts';
import { tokenRows } from './resources/authentication-tokens/rows.ts';
import { commentRows } from './resources/comments/rows.ts';
import { configurationVersionRows } from './resources/configuration-versions/rows.ts';
import { retentionRows } from './resources/data-retention-policies/rows.ts';
import { documentRow, serviceRows, versions } from './resources/discovery/rows.ts';
import { notificationRows } from './resources/notification-configurations/rows.ts';
import { verificationRows, verifier } from './resources/notification-deliveries/verify.ts';
import { oauthClientRows } from './resources/oauth-clients/rows.ts';
import { oauthTokenRows } from './resources/oauth-tokens/rows.ts';
import { membershipRows } from './resources/organization-memberships/rows.ts';
import { organizationRows } from './resources/organizations/rows.ts';
import { planAndApplyRows } from './resources/plans-and-applies/rows.ts';
import { policyRows } from './resources/policies/rows.ts';
import { policyEvaluationRows } from './resources/policy-evaluations/rows.ts';
import { policyOverrideRows } from './resources/policy-evaluator/rows.ts';
import { policySetRows } from './resources/policy-sets/rows.ts';
import { projectRows } from './resources/projects/rows.ts';
import { consumerRows } from './resources/remote-state-consumers/rows.ts';
import { reservedTagKeyRows } from './resources/reserved-tag-keys/rows.ts';
import { runTaskRows } from './resources/run-tasks/rows.ts';
import { runTriggerRows } from './resources/run-triggers/rows.ts';
import { runRows } from './resources/runs/rows.ts';
import { sshKeyRows } from './resources/ssh-keys/rows.ts';
import { backingDataRows } from './resources/state-version-files/backing-data.ts';
import { stateFileRows } from './resources/state-version-files/files.ts';
import { stateVersionOutputRows } from './resources/state-version-outputs/rows.ts';
import { stateVersionRows } from './resources/state-versions/rows.ts';
import { tagBindingRows } from './resources/tag-bindings/rows.ts';
import { tagRows } from './resources/tags/rows.ts';
import { taskResultRows } from './resources/task-results/rows.ts';
import { teamAccessRows } from './resources/team-access/rows.ts';
import { teamRows } from './resources/teams/rows.ts';
import { userRows } from './resources/users/rows.ts';
import { variableSetRows } from './resources/variable-sets/rows.ts';
import { variableRows } from './resources/variables/rows.ts';
import { ingressRows } from './resources/vcs-ingresses/rows.ts';
import { repositoryCheck } from './resources/vcs-repositories/check.ts';
import { vcsWebhookRows } from './resources/vcs-webhooks/rows.ts';
import { workloadIdentityRows } from './resources/workload-identity/rows.ts';
import { lockRows } from './resources/workspace-lock/rows.ts';
import { workspaceResourceRows } from './resources/workspace-resources/rows.ts';
import { workspaceRows } from './resources/workspaces/rows.ts';

/** The workspace service: its rows, and what the pipeline needs to serve them. */
export interface Workspaces {
  readonly rows: readonly ApiRow[];
  /** Headers of every reply. */
  readonly headers: Readonly<Record<string, string>>;
  authenticate(token: Secret, from: ClientConnection): Promise<ApiCaller | undefined>;
  readonly findNeeded: FindNeeded;
  /** Answers the requests that wait for work, as if their time were over. Later ones do not wait. */
  endWaits(): void;
  close(): Promise<void>;
}

export interface OpenParts extends Omit<WorkspaceParts, 'webhooks' | 'mail' | 'repositories'> {
  readonly git: GitSettings;
  /** The operator's bounds on outgoing calls. */
  readonly networkBounds: NetworkBounds;
  /** Undefined when no e-mail is sent. */
  readonly smtp: SmtpSettings | undefined;
}

export function openWorkspaces({ networkBounds, smtp, git, ...others }: OpenParts): Workspaces {
  const webhooks = openWebhooks(networkBounds);
  const parts = {
    ...others,
    webhooks,
    mail: smtp === undefined ? undefined : openMail(smtp),
    repositories: repositoryCheck(others.store, git),
  };
  const trail = openTrail(parts);
  const board = new Board(parts);
  const rows: readonly ApiRow[] = [...allRows(parts), ...agentJobRows(parts, board), documentRow(() => rows)].map(
    (row) => releasing(recorded(row, trail), board),
  );
  return {
    rows,
    headers: versions,
    authenticate: callerFinder(parts),
    findNeeded: needsFinder(parts.store),
    endWaits: () => board.close(),
    close: () => {
      board.close();
      return webhooks.close();
    },
  };
}

/** All operations of the workspace service, in any order. */
const allRows = (parts: WorkspaceParts): readonly ApiRow[] => [
  ...adminRows(parts),
  ...agentPoolRows(parts),
  ...agentRows(parts),
  ...assessmentRows(parts),
  ...auditTrailRows(parts),
  ...commentRows(parts),
  ...configurationVersionRows(parts),
  ...consumerRows(parts),
  ...lockRows(parts),
  ...membershipRows(parts),
  ...notificationRows({ ...parts, verify: verifier(parts) }),
  ...verificationRows(parts),
  ...oauthClientRows(parts),
  ...oauthTokenRows(parts),
  ...organizationRows(parts),
  ...planAndApplyRows(parts, (runId) => noteWaiting(parts, runId)),
  ...policyRows(parts),
  ...policyEvaluationRows(parts),
  ...policyOverrideRows(parts),
  ...policySetRows(parts),
  ...projectRows(parts),
  ...reservedTagKeyRows(parts),
  ...retentionRows(parts),
  ...runTaskRows(parts),
  ...runTriggerRows(parts),
  ...runRows(parts),
  ...serviceRows,
  ...sshKeyRows(parts),
  ...stateVersionRows(parts),
  ...stateFileRows(parts),
  ...backingDataRows(parts),
  ...stateVersionOutputRows(parts),
  ...tagBindingRows(parts),
  ...tagRows(parts),
  ...taskResultRows(parts),
  ...teamAccessRows(parts),
  ...teamRows(parts),
  ...tokenRows(parts),
  ...userRows(parts),
  ...variableSetRows(parts),
  ...variableRows(parts),
  ...ingressRows(parts),
  ...vcsWebhookRows(parts),
  ...workloadIdentityRows(parts),
  ...workspaceResourceRows(parts),
  ...workspaceRows(parts),
];
