import { takeTurns } from '#core/concurrency/take-turns.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import { tidyGitFolders } from '#network/git/folders.ts';
import type { GitSettings } from '#network/git/settings.ts';
import { openMail, type SmtpSettings } from '#network/mail.ts';
import { openWebhooks } from '#network/webhooks.ts';
import type { Store } from '#store/store.ts';
import type { SeeWork } from './contract.ts';
import { endLostJobs } from './resources/agent-jobs/end.ts';
import { dropSilentAgents } from './resources/agents/store.ts';
import { assessDue } from './resources/assessment-runs/sweep.ts';
import { dropOldEvents } from './resources/audit-trail/store.ts';
import { dropExpiredTokens } from './resources/authentication-tokens/store.ts';
import { tendEphemeral } from './resources/auto-destroy-runs/sweep.ts';
import { postStatuses } from './resources/commit-statuses/poster.ts';
import { applyPolicies } from './resources/data-retention-policies/sweep.ts';
import { receiverLanes } from './resources/notification-deliveries/sender.ts';
import { wakeForgotten } from './resources/notification-deliveries/turns.ts';
import { finishRemovals } from './resources/organizations/remove.ts';
import { policyLane } from './resources/policy-evaluator/lane.ts';
import { dropOldFiles } from './resources/run-lifecycle/old-files.ts';
import { dropAbandoned } from './resources/state-blobs/sweep.ts';
import { taskLane } from './resources/task-results/sender.ts';
import { endSilentResults } from './resources/task-results/sweep.ts';
import { ingestDue } from './resources/vcs-ingresses/ingester.ts';

/** The periodic work of the workspace service. */
export interface WorkspaceSweep {
  /** One round, with at most this many items of each kind. */
  run(countMax: number): Promise<void>;
  /**
   * Sends notifications and requests to run tasks, and evaluates policies, until none is due or `signal` aborts. Rounds do not wait for it, since
   * each turn takes seconds.
   *
   * @returns the number of turns
   */
  notify(signal: AbortSignal): Promise<number>;
  /** Fetches commits of repositories until none is due or `signal` aborts. Returns the number of turns. */
  ingest(signal: AbortSignal): Promise<number>;
  /** Tells repository hosts the states of commits until none is due or `signal` aborts. Returns the number of commits looked at. */
  postStatuses(signal: AbortSignal): Promise<number>;
  close(): Promise<void>;
}

/** Steps of deletions of organizations in one round. */
const removalStepsMax = 20;
/** Workspaces that get a destroy run or an assessment in one round. */
const workspacesMax = 200;
/** Interval of the retention policies: they count in days, and finding expired versions reads every state version. */
const retentionMs = 900_000;

export function openWorkspaceSweep({
  store,
  networkBounds,
  auditTrailDays,
  assessmentHours,
  runLogDays,
  smtp,
  git,
  publicUrl,
  see,
  opaProgram,
}: {
  readonly store: Store;
  readonly networkBounds: NetworkBounds;
  /** Retention of the audit trails of organizations, in days. */
  readonly auditTrailDays: number;
  /** Between two assessments of a workspace. */
  readonly assessmentHours: number;
  /** Retention of the files of ended runs in workspaces without a policy, in days; 0 keeps them. */
  readonly runLogDays: number;
  readonly smtp: SmtpSettings | undefined;
  readonly git: GitSettings;
  readonly publicUrl: string | undefined;
  readonly see: SeeWork;
  /** Evaluates policies; undefined: none is, and mandatory ones fail. */
  readonly opaProgram: string | undefined;
}): WorkspaceSweep {
  const webhooks = openWebhooks(networkBounds);
  const parts = { see, webhooks, mail: smtp === undefined ? undefined : openMail(smtp) };
  let retentionAt = 0;
  return {
    async run(countMax) {
      await dropExpiredTokens(store, countMax);
      await finishRemovals(store, removalStepsMax);
      await dropAbandoned(store, countMax);
      await endLostJobs(store, countMax);
      see('run_task_result', 'dead', await endSilentResults(store, countMax));
      await dropSilentAgents(store, countMax);
      await tendEphemeral(store, workspacesMax);
      see('assessment', 'done', await assessDue(store, { countMax: workspacesMax, hours: assessmentHours }));
      await dropOldEvents(store, auditTrailDays, countMax);
      if (performance.now() >= retentionAt && !(await retained(store, countMax, runLogDays)))
        retentionAt = performance.now() + retentionMs;
      await wakeForgotten(store, countMax);
      await tidyGitFolders();
    },
    notify: (signal) =>
      takeTurns(
        [...receiverLanes(store, parts, signal), taskLane(store, parts, signal), policyLane(store, opaProgram, signal)],
        signal,
      ),
    ingest: (signal) => ingestDue(store, { git, see }, signal),
    postStatuses: (signal) => postStatuses(store, { webhooks, publicUrl, see }, signal),
    close: () => webhooks.close(),
  };
}

/** Whether there may be more to delete. */
async function retained(store: Store, countMax: number, runLogDays: number): Promise<boolean> {
  const states = await applyPolicies(store, countMax);
  const files = await dropOldFiles(store, runLogDays, countMax);
  return states || files;
}
