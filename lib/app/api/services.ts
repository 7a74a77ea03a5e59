import type { Audit } from '#audit/open.ts';
import type { Gatekeeper } from '#auth/contract.ts';
import { openWorkloadTokens } from '#auth/identity/oidc/workload/open.ts';
import { wrap } from '#auth/wrapping/wrap.ts';
import { smtpOf } from '#core/config.ts';
import { partOf } from '#core/log/log.ts';
import type { Service } from '#http/server/parts.ts';
import { secretsService } from '#http/v1/service.ts';
import { rateStage } from '#http/v1/stages/rate-stage.ts';
import { wrapStages } from '#http/v1/stages/wrap-stage.ts';
import { workspacesService } from '#http/v2/service.ts';
import type { CopiedMounts } from '#mounts/contract/mounts.ts';
import type { Engine } from '#path/contract/engine.ts';
import { longestWaitMs } from '#path/long-poll.ts';
import type { RateLimits } from '#quotas/limits.ts';
import { readCors } from '#system/config/index.ts';
import { runWaitTelemetry } from '#telemetry/workspaces.ts';
import { openWorkspaces, type Workspaces } from '#workspaces/index.ts';
import { gitOf } from '../shared.ts';
import type { Base } from './base.ts';
import type { Mfa } from './mfa.ts';
import { pendingSyncsOf } from './pending-syncs.ts';

interface CommonParts {
  readonly gatekeeper: Gatekeeper;
  readonly audit: Audit;
}

interface SecretsParts extends CommonParts {
  readonly engines: readonly Engine[];
  readonly mounts: CopiedMounts;
  readonly rateLimits: RateLimits;
  readonly mfa: Mfa;
}

/** The secrets API, with the stages of other rooms: rate limits, MFA, wrapping. */
export const openSecretsApi = (base: Base, { engines, mounts, rateLimits, mfa, ...others }: SecretsParts): Service =>
  secretsService({
    ...common(base, others),
    engines,
    mounts,
    typeNames: base.shared.typeNames,
    namespaces: mounts,
    administrativeNamespace: base.config.KEYFERRY_ADMIN_NAMESPACE,
    bodyLimitBytes: base.config.KEYFERRY_BODY_BYTES_MAX,
    crossOrigin: () => readCors(base.shared.store),
    requestHeaderRequired: base.config.KEYFERRY_REQUIRE_REQUEST_HEADER,
    stages: [
      rateStage(rateLimits.pass),
      ...mfa.stages,
      ...wrapStages((reply) => wrap({ store: base.shared.store }, reply)),
    ],
  });

/** The rows, the login and the notifications of workspaces. */
export const openWorkspaceRooms = ({ config, log, shared }: Base, gatekeeper: Gatekeeper): Workspaces =>
  openWorkspaces({
    store: shared.store,
    clock: shared.store.clock,
    gatekeeper,
    networkBounds: shared.networkBounds,
    smtp: smtpOf(config),
    log: partOf(log, 'workspaces'),
    runBegan: runWaitTelemetry(shared.metrics),
    workloadTokens: openWorkloadTokens(shared.store),
    auditTrailDays: config.KEYFERRY_AUDIT_TRAIL_DAYS,
    git: gitOf(config, shared),
    publicUrl: config.KEYFERRY_PUBLIC_URL,
    opaProgram: config.KEYFERRY_OPA,
    runs: {
      perOrganizationMax: config.KEYFERRY_RUNS_PER_ORGANIZATION_MAX,
      syncWaitMs: config.KEYFERRY_RUN_SYNC_WAIT_MS,
    },
    waitMsMax: longestWaitMs(config.KEYFERRY_REQUEST_MS_MAX),
    pendingSyncs: pendingSyncsOf(shared.store),
  });

/** The workspaces API. */
export const openWorkspacesApi = (base: Base, workspaces: Workspaces, others: CommonParts): Service =>
  workspacesService({
    ...common(base, others),
    ...workspaces,
    clock: base.shared.clock,
    paddingMs: base.config.KEYFERRY_PADDING_MS,
    requestsPerSecond: base.config.KEYFERRY_WORKSPACE_REQUESTS_PER_SECOND,
    origin: base.config.KEYFERRY_PUBLIC_URL,
  });

const common = ({ config, log, shared }: Base, { gatekeeper, audit }: CommonParts) => ({
  gatekeeper,
  auditor: audit,
  state: () => shared.store.seal.state(),
  log: partOf(log, 'http'),
  requestTimeoutMs: config.KEYFERRY_REQUEST_MS_MAX,
});
