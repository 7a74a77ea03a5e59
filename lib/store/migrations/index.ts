import type { QueryExecutorProvider } from 'kysely';
import { initial } from './0001-initial.ts';
import { syncIndexes } from './0002-sync-indexes.ts';
import { lateWrites } from './0003-late-writes.ts';
import { attributionAndMoves } from './0004-attribution-and-moves.ts';
import { verifyGeneration } from './0006-verify-generation.ts';
import { policies } from './0007-policies.ts';
import { tokenRolesAndLeases } from './0008-token-roles-and-leases.ts';
import { cubbyholeAndQuotas } from './0009-cubbyhole-and-quotas.ts';
import { namespaces } from './0010-namespaces.ts';
import { identity } from './0011-identity.ts';
import { userpassApproleLockout } from './0012-userpass-approle-lockout.ts';
import { methodSettings } from './0013-method-settings.ts';
import { audit } from './0014-audit.ts';
import { keyAttempts } from './0015-key-attempts.ts';
import { mfa } from './0016-mfa.ts';
import { workspaces } from './0017-workspaces.ts';
import { workspaceStates } from './0018-workspace-states.ts';
import { workspaceVariables } from './0019-workspace-variables.ts';
import { namespaceFence } from './0020-namespace-fence.ts';
import { readmes } from './0021-readmes.ts';
import { bindingOrganizations } from './0022-binding-organizations.ts';
import { formerKeys } from './0023-former-keys.ts';
import { lastUses } from './0024-last-uses.ts';
import { logins } from './0027-logins.ts';
import { recoveryKeys } from './0028-recovery-keys.ts';
import { lockEpochs } from './0034-lock-epochs.ts';
import { notificationTurns } from './0035-notification-turns.ts';
import { workspaceClients } from './0036-workspace-clients.ts';
import { notificationOwners } from './0037-notification-owners.ts';
import { notificationUsers } from './0038-notification-users.ts';
import { auditTrail } from './0039-audit-trail.ts';
import { aliasLogins } from './0040-alias-logins.ts';
import { lineage } from './0042-lineage.ts';
import { oldestChange } from './0043-oldest-change.ts';
import { hotTables } from './0044-hot-tables.ts';
import { markings } from './0045-markings.ts';
import { endedTokens } from './0046-ended-tokens.ts';
import { mountRemovals } from './0047-mount-removals.ts';
import { outerKeys } from './0050-outer-keys.ts';
import { recordLists } from './0051-record-lists.ts';
import { pausedDestinations } from './0054-paused-destinations.ts';
import { syncBatches } from './0055-sync-batches.ts';
import { browserLogins } from './0059-browser-logins.ts';
import { identityTokens } from './0060-identity-tokens.ts';
import { oidcProvider } from './0062-oidc-provider.ts';
import { syncAttempts } from './0063-sync-attempts.ts';
import { destinationResults } from './0064-destination-results.ts';
import { syncBatchSecrets } from './0065-sync-batch-secrets.ts';
import { rateGroups } from './0066-rate-groups.ts';
import { drift } from './0067-drift.ts';
import { syncRules } from './0068-sync-rules.ts';
import { syncNotifications } from './0069-sync-notifications.ts';
import { syncSamples } from './0070-sync-samples.ts';
import { agents } from './0071-agents.ts';
import { syncPlans } from './0072-sync-plans.ts';
import { runLogs } from './0075-run-logs.ts';
import { autoDestroys } from './0077-auto-destroys.ts';
import { assessments } from './0078-assessments.ts';
import { ingresses } from './0080-ingresses.ts';
import { workspaceMeasures } from './0082-workspace-measures.ts';
import { runTasks } from './0083-run-tasks.ts';
import { associationCounts } from './0085-association-counts.ts';
import { oldestChangeOfDestination } from './0086-oldest-change-of-destination.ts';
import { throttledTold } from './0087-throttled-told.ts';
import { policySets } from './0091-policies.ts';
import { runFiles } from './0096-run-files.ts';
import { unusedJobs } from './0097-unused-jobs.ts';
import { sampleSums } from './0098-sample-sums.ts';

/** One step of the schema. There are no steps back: a released step is never edited; mistakes are corrected by a new step. */
export interface Migration {
  readonly name: string;
  /** Runs in its own transaction, unless `outsideTransaction` is set. */
  readonly up: (db: QueryExecutorProvider) => Promise<void>;
  /**
   * For statements that PostgreSQL does not allow in a transaction, such as `create index concurrently`, which does not block writes
   * to a large table. Such a step may be interrupted anywhere and then runs again, so it must handle what it left behind.
   */
  readonly outsideTransaction?: true;
  /**
   * Earlier releases made this change at run time, so the rows of their backups may need it. A restore runs it before it loads the
   * rows, and again in the usual order.
   */
  readonly beforeEarlierRows?: true;
}

/** All steps in the order in which they run. */
export const migrations: readonly Migration[] = [
  { name: '0001-initial', up: initial },
  { name: '0002-sync-indexes', up: syncIndexes, outsideTransaction: true },
  { name: '0003-late-writes', up: lateWrites, outsideTransaction: true },
  { name: '0004-attribution-and-moves', up: attributionAndMoves, outsideTransaction: true },
  { name: '0006-verify-generation', up: verifyGeneration },
  { name: '0007-policies', up: policies },
  { name: '0008-token-roles-and-leases', up: tokenRolesAndLeases, outsideTransaction: true },
  { name: '0009-cubbyhole-and-quotas', up: cubbyholeAndQuotas },
  { name: '0010-namespaces', up: namespaces, outsideTransaction: true },
  { name: '0011-identity', up: identity },
  { name: '0012-userpass-approle-lockout', up: userpassApproleLockout },
  { name: '0013-method-settings', up: methodSettings },
  { name: '0014-audit', up: audit },
  { name: '0015-key-attempts', up: keyAttempts },
  { name: '0016-mfa', up: mfa },
  { name: '0017-workspaces', up: workspaces },
  { name: '0018-workspace-states', up: workspaceStates },
  { name: '0019-workspace-variables', up: workspaceVariables },
  { name: '0020-namespace-fence', up: namespaceFence },
  { name: '0021-readmes', up: readmes },
  { name: '0022-binding-organizations', up: bindingOrganizations },
  { name: '0023-former-keys', up: formerKeys, outsideTransaction: true, beforeEarlierRows: true },
  { name: '0024-last-uses', up: lastUses, outsideTransaction: true },
  { name: '0027-logins', up: logins },
  { name: '0028-recovery-keys', up: recoveryKeys },
  { name: '0034-lock-epochs', up: lockEpochs },
  { name: '0035-notification-turns', up: notificationTurns },
  { name: '0036-workspace-clients', up: workspaceClients },
  { name: '0037-notification-owners', up: notificationOwners },
  { name: '0038-notification-users', up: notificationUsers },
  { name: '0039-audit-trail', up: auditTrail },
  { name: '0040-alias-logins', up: aliasLogins },
  { name: '0042-lineage', up: lineage },
  { name: '0043-oldest-change', up: oldestChange, outsideTransaction: true },
  { name: '0044-hot-tables', up: hotTables, outsideTransaction: true },
  { name: '0045-markings', up: markings },
  { name: '0046-ended-tokens', up: endedTokens, outsideTransaction: true },
  { name: '0047-mount-removals', up: mountRemovals, outsideTransaction: true },
  { name: '0050-outer-keys', up: outerKeys },
  { name: '0051-record-lists', up: recordLists, outsideTransaction: true },
  { name: '0054-paused-destinations', up: pausedDestinations, outsideTransaction: true },
  { name: '0055-sync-batches', up: syncBatches },
  { name: '0059-browser-logins', up: browserLogins },
  { name: '0060-identity-tokens', up: identityTokens },
  { name: '0062-oidc-provider', up: oidcProvider },
  { name: '0063-sync-attempts', up: syncAttempts },
  { name: '0064-destination-results', up: destinationResults },
  { name: '0065-sync-batch-secrets', up: syncBatchSecrets },
  { name: '0066-rate-groups', up: rateGroups, outsideTransaction: true },
  { name: '0067-drift', up: drift, outsideTransaction: true },
  { name: '0068-sync-rules', up: syncRules, outsideTransaction: true },
  { name: '0069-sync-notifications', up: syncNotifications },
  { name: '0070-sync-samples', up: syncSamples },
  { name: '0071-agents', up: agents },
  { name: '0072-sync-plans', up: syncPlans, outsideTransaction: true },
  { name: '0075-run-logs', up: runLogs, outsideTransaction: true },
  { name: '0077-auto-destroys', up: autoDestroys },
  { name: '0078-assessments', up: assessments },
  { name: '0080-ingresses', up: ingresses },
  { name: '0082-workspace-measures', up: workspaceMeasures },
  { name: '0083-run-tasks', up: runTasks },
  { name: '0085-association-counts', up: associationCounts, outsideTransaction: true },
  { name: '0086-oldest-change-of-destination', up: oldestChangeOfDestination, outsideTransaction: true },
  { name: '0087-throttled-told', up: throttledTold },
  { name: '0091-policies', up: policySets },
  { name: '0096-run-files', up: runFiles, outsideTransaction: true },
  { name: '0097-unused-jobs', up: unusedJobs },
  { name: '0098-sample-sums', up: sampleSums, outsideTransaction: true },
];
