import type { Gatekeeper } from '#auth/contract.ts';
import type { Clock } from '#core/clock.ts';
import type { Log } from '#core/log/log.ts';
import type { Mail } from '#network/mail.ts';
import type { Webhooks } from '#network/webhooks.ts';
import type { Store } from '#store/store.ts';

/** How notifications are sent. */
export interface MessageParts {
  /** Calls receivers within the operator's network bounds. */
  readonly webhooks: Pick<Webhooks, 'post'>;
  /** Undefined when the operator has not configured a mail server. */
  readonly mail: Mail | undefined;
}

/** Work of the sweep, for metrics. `run_task_result`: a result that did not come in time. */
export type Work = 'commit' | 'commit_status' | 'run_task' | 'run_task_result' | 'notification' | 'assessment';
/** `failed`: tried again; `dead`: given up. */
export type SeeWork = (work: Work, result: 'done' | 'failed' | 'dead', by?: number) => void;

/** How the sweep sends messages. */
export interface SendParts extends MessageParts {
  readonly see: SeeWork;
}

/** Looks at repositories before workspaces are connected to them. */
export interface RepositoryCheck {
  /** @throws ApiError 422 when it cannot be read, 503 while too many are looked at */
  mustExist(named: NamedRepository): Promise<void>;
}

export interface NamedRepository {
  readonly organizationId: string;
  /** The id of the OAuth token that opens it. */
  readonly tokenId: string;
  readonly identifier: string;
}

/** A sync of a secret into variables that has not been pushed yet: where it writes. */
export interface PendingSync {
  readonly workspaceId?: string | undefined;
  /** `<organization>/<workspace>`. */
  readonly workspace?: string | undefined;
  readonly variableSetId?: string | undefined;
}

/** Bounds of runs, set by the operator. */
export interface RunBounds {
  /** Runs of one organization that are planned or applied at the same time. */
  readonly perOrganizationMax: number;
  /** How long a plan waits for syncs to the variables of its workspace, in milliseconds; 0: it does not. */
  readonly syncWaitMs: number;
}

/** The dependencies of the workspace service. */
export interface WorkspaceParts extends MessageParts {
  readonly store: Store;
  /** The clock of the store, so that processes with different clocks agree. */
  readonly clock: Clock;
  readonly log: Log;
  /** The secrets service's, since its tokens are accepted here as well. */
  readonly gatekeeper: Pick<Gatekeeper, 'authenticate'>;
  /** Signs the tokens that identify runs to clouds. */
  readonly workloadTokens: {
    sign(claims: object): Promise<string>;
    published(): Promise<{ readonly keys: readonly object[] }>;
  };
  /** Retention of the audit trails of organizations, in days; 0 disables them. */
  readonly auditTrailDays: number;
  readonly repositories: RepositoryCheck;
  /** Scheme and authority under which clients know this service; undefined when the operator has not set them. */
  readonly publicUrl: string | undefined;
  readonly runs: RunBounds;
  /** Longest time that a request may wait for work, in milliseconds, so that it is answered before it is cut off. */
  readonly waitMsMax: number;
  /** Told how long a plan or an apply waited for an agent, in seconds. */
  runBegan(part: 'plan' | 'apply', waitedSeconds: number): void;
  /** Evaluates policies; undefined when the operator has not named one. */
  readonly opaProgram: string | undefined;
  /** The syncs into variables that have waited for less than this many milliseconds, one for each; bounded. */
  pendingSyncs(withinMs: number): Promise<readonly PendingSync[]>;
}
