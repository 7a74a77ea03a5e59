import { openIdentities } from '#auth/identity/facts/open.ts';
import { tendOidcKeys } from '#auth/identity/oidc/sweep.ts';
import { dropOldFailures } from '#auth/lockout/store.ts';
import { methods } from '#auth/methods/index.ts';
import { expireLogins } from '#auth/methods/open.ts';
import { dropExpiredMfa } from '#auth/mfa/sweep.ts';
import { openAcls } from '#auth/policy/store/acls.ts';
import { rightsOfStanding } from '#auth/policy/store/standing.ts';
import { dropExpired, dropExpiredSteadily } from '#auth/token/revoke/revoke.ts';
import { smtpOf } from '#core/config.ts';
import { definitions } from '#destinations/index.ts';
import { engines } from '#engines/index.ts';
import { expireSecrets, type SyncedSecrets, syncedSecrets } from '#engines/list.ts';
import { endNamespaces } from '#mounts/namespaces/remove.ts';
import { continueRemovals } from '#mounts/removal/continue.ts';
import { openNoticeSweep } from '#notices/sweep.ts';
import { type GivenFilter, replayFilter } from '#sync/batches/replay/filter.ts';
import { type Replayed, replay } from '#sync/batches/replay/replay.ts';
import type { RulePorts } from '#sync/rules/evaluate.ts';
import { newSweepState, sweep } from '#sync/sweep/sweep.ts';
import { noticeTelemetry } from '#telemetry/notices.ts';
import { sweepTelemetry } from '#telemetry/sweep.ts';
import { loopTelemetry, workspaceWorkTelemetry } from '#telemetry/workspaces.ts';
import { openWorkspaceSweep, type WorkspaceSweep } from '#workspaces/sweep.ts';
import { readService } from './readings.ts';
import { type AppParts, type Closable, gitOf, openShared, type Shared } from './shared.ts';

/** The sweep and the replay, which share their parts. */
export interface Sweeper extends Closable {
  /** Sends the spans gathered so far; bounded. */
  flush(): Promise<void>;
  /** One round. */
  run(): Promise<object>;
  /** Sends notifications of workspaces, in parallel with the rounds, until none is due or `signal` aborts. */
  notify(signal: AbortSignal): Promise<number>;
  /** Fetches commits of repositories, in parallel with the rounds, until none is due or `signal` aborts. */
  ingest(signal: AbortSignal): Promise<number>;
  /** Tells repository hosts the states of commits, in parallel with the rounds, until none is due or `signal` aborts. */
  postStatuses(signal: AbortSignal): Promise<number>;
  /** Tells events of the sync, in parallel with the rounds, until nothing is about to be told or `signal` aborts. */
  tell(signal: AbortSignal): Promise<number>;
  /** Sends notifications of the sync, in parallel with the rounds, until none is due or `signal` aborts. */
  sendNotices(signal: AbortSignal): Promise<number>;
  /** Empties disabled mounts, in parallel with the rounds, which each spend a second on it, until none is left or `signal` aborts. */
  emptyMounts(signal: AbortSignal): Promise<number>;
  /** Deletes ended tokens until none is left or `signal` aborts, in parallel with the rounds, which each delete a few. */
  dropTokens(signal: AbortSignal): Promise<number>;
  /**
   * Starts no further page once `signal` has aborted.
   *
   * @throws AppError `bad-request` for an invalid filter
   */
  replay(filter: GivenFilter, signal: AbortSignal): Promise<Replayed>;
}

/** How many expired entries of each kind one round removes. */
const expiredPerRoundMax = 1_000;
/** How long one round empties mounts, in milliseconds. */
const removalMsMax = 1_000;

/** What standing rules need to know of secrets, and of the rights of those who stored the rules. */
function rulePorts({ store, typeNames }: Shared, secrets: SyncedSecrets): RulePorts {
  const identities = openIdentities(store);
  const rights = { store, acls: openAcls({ store, identities, typeNames }), factsOf: identities.factsOf };
  return {
    describeSecrets: secrets.describe,
    describeBelow: secrets.describeBelow,
    readPath: secrets.readPath,
    rightsOf: (owner) => rightsOfStanding(rights, owner),
  };
}

function workspaceSweep({ config }: AppParts, shared: Shared): WorkspaceSweep {
  return openWorkspaceSweep({
    store: shared.store,
    networkBounds: shared.networkBounds,
    auditTrailDays: config.KEYFERRY_AUDIT_TRAIL_DAYS,
    assessmentHours: config.KEYFERRY_ASSESSMENT_HOURS,
    runLogDays: config.KEYFERRY_RUN_LOG_DAYS,
    smtp: smtpOf(config),
    git: gitOf(config, shared),
    publicUrl: config.KEYFERRY_PUBLIC_URL,
    see: workspaceWorkTelemetry(shared.metrics),
    opaProgram: config.KEYFERRY_OPA,
  });
}

export async function openSweeper(parts: AppParts): Promise<Sweeper> {
  const shared = await openShared(parts, 'another-process');
  const { store, queue, bell, changed, networkBounds } = shared;
  const workspaces = workspaceSweep(parts, shared);
  const notices = openNoticeSweep({ store, queue, networkBounds, seen: noticeTelemetry(shared.metrics) });
  const gauges = readService(parts, shared);
  const observed = sweepTelemetry(shared, shared.clock);
  const counted = loopTelemetry(shared.metrics);
  const loop = (name: string, step: (signal: AbortSignal) => Promise<number>) =>
    counted(name, async (signal: AbortSignal) => (store.seal.state() === 'ready' ? step(signal) : 0));
  const state = newSweepState();
  const removal = { store, engines: [...engines, ...methods], changed, log: parts.log };
  const secretBytesMax = parts.config.KEYFERRY_BODY_BYTES_MAX;
  const secrets = syncedSecrets(engines, { store, changed, secretBytesMax });
  const sweepParts = {
    ...{ store, queue, log: parts.log, changed, definitions },
    expire: () => expireSecrets(engines, store, expiredPerRoundMax),
    holdSecrets: secrets.hold,
    rules: rulePorts(shared, secrets),
  };
  return {
    run: observed(async () => {
      // A function may have been frozen since it was unsealed.
      await store.seal.refresh();
      if (store.seal.state() !== 'ready') return { sealed: true };
      await store.seal.rotateIfDue();
      await store.seal.rewrapIfDue();
      await endNamespaces(removal);
      await continueRemovals(removal, AbortSignal.timeout(removalMsMax));
      const swept = await sweep(sweepParts, state);
      // A worker function sleeps until a ring, so it must be woken for delayed jobs and for those of a crashed worker too.
      if (bell !== undefined) await queue.wake();
      await dropOldFailures(store, expiredPerRoundMax);
      await expireLogins(methods, store, expiredPerRoundMax);
      await dropExpiredMfa(store, expiredPerRoundMax);
      await tendOidcKeys(store, expiredPerRoundMax);
      await workspaces.run(expiredPerRoundMax);
      await notices.run(expiredPerRoundMax);
      return { ...swept, tokens: await dropExpired(store, expiredPerRoundMax, parts.log) };
    }),
    notify: loop('notifications', (signal) => workspaces.notify(signal)),
    ingest: loop('commits', (signal) => workspaces.ingest(signal)),
    postStatuses: loop('commit_statuses', (signal) => workspaces.postStatuses(signal)),
    tell: loop('events', (signal) => notices.tell(signal)),
    sendNotices: loop('sync_notifications', (signal) => notices.send(signal)),
    emptyMounts: loop('mounts', (signal) => continueRemovals(removal, signal)),
    dropTokens: loop('tokens', (signal) => dropExpiredSteadily(store, signal, parts.log)),
    replay: async (given, signal) => {
      const filter = { ...replayFilter(definitions, given), namespaceId: undefined };
      return replay({ store, queue, log: parts.log, definitions }, filter, signal);
    },
    flush: shared.flush,
    async close() {
      gauges.close();
      await workspaces.close();
      await notices.close();
      await shared.close();
    },
  };
}
