import type { Transaction } from 'kysely';
import type { Clock } from '../../core/clock.ts';
import type { Engine } from '../../path/contract/engine.ts';
import type { RequestContext } from '../../path/contract/request.ts';
import type { Operation } from '../../path/contract/row.ts';
import type { Fields, Input } from '../../path/fields.ts';
import type { Store } from '../../store/store.ts';
import type { Database } from '../../store/tables.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { Remote } from '../login/remote/remote.ts';
import type { TokenSettings } from '../login/role/settings.ts';
import type { TokenParts } from '../token/parts.ts';

/** A way to log in, as the list in `index.ts` has it. A method is a folder: `index`, `config`, `role`, `login`. */
export interface AuthMethod {
  /** The type of its mounts. Clients enable it by this name. */
  readonly type: string;
  /** Other names by which clients enable it; a mount keeps the one it was enabled by. */
  readonly names?: readonly string[];
  /** It is where it has always been, and nowhere else. */
  readonly fixed?: true;
  /**
   * Absent: what it keeps of a mount is little, and goes with the mount. Removes at most so many things of a mount, in the
   * caller's transaction; answers as many texts.
   */
  readonly removeSecrets?: (tx: Transaction<Database>, mountId: string, limit: number) => Promise<readonly string[]>;
  /** Removes what has expired, a limited number; answers how much. */
  readonly expire?: (store: Store, limit: number) => Promise<number>;
  /** The settings of the role or user whom the metadata of a login's token names; undefined: there is no such one any more. */
  readonly settingsOf?: (
    store: Store,
    mountId: string,
    metadata: Readonly<Record<string, string>>,
  ) => Promise<TokenSettings | undefined>;
  /** Its rows below a mount, and where it is mounted without anybody having enabled it. */
  open(parts: MethodParts): Pick<Engine, 'rows' | 'always' | 'loginRole'>;
}

export interface MethodParts extends TokenParts {
  /** What other systems say of times is compared with it. */
  readonly clock: Clock;
  /** Keeps out who guesses the credentials of somebody. */
  readonly lockout: Lockout;
  /** Makes the operation that logs in. It needs no token, and answers one. */
  readonly login: LoginOperation;
  /** Calls systems that know who somebody is. */
  readonly remote: Remote;
  /** Where an orchestrator lays the token of the server's own service account, and its certificates. */
  readonly localAccountDir: string;
}

/** What methods are opened with. Absent: public addresses may be called, and the folder is the usual one. */
export type OpenParts = TokenParts &
  Pick<MethodParts, 'clock'> &
  Partial<Pick<MethodParts, 'remote' | 'localAccountDir'>>;

/** Ties a login handler to its fields. The handler says who it is; the token is made by `token/`. */
export type LoginOperation = <F extends Fields>(
  fields: F,
  spec: { readonly summary: string; readonly who: (input: Input<F>, context: RequestContext) => Promise<Identity> },
) => Operation;

/** Who somebody has proved to be, and what the method wants his token to be. */
export interface Identity {
  /** For people, below the name of the mount. */
  readonly displayName: string;
  /** What the method knows him by: it stays when names change. */
  readonly alias: string;
  /** Policies as they are wanted; blanks, capitals and repetitions do not count. */
  readonly policies: readonly string[];
  /** Shown with the token and passed to audit devices; never a secret. */
  readonly metadata: Readonly<Record<string, string>> | null;
  /** Kept with the alias of his entity, and refreshed by each login. Absent: none. */
  readonly aliasMetadata?: Readonly<Record<string, string>>;
  /** Names of groups that he is in, as external groups have them as aliases at the mount. Absent: none. */
  readonly groups?: readonly string[];
  /** The role that he has logged in by, by which quotas may go. Absent: none. */
  readonly role?: string;
  readonly bounds: TokenBounds;
}

/** Limits of a token. Durations are in seconds; 0: the method sets none. */
export interface TokenBounds {
  readonly ttl: number;
  /** The longest life, renewals included, if the mount allows as much. */
  readonly maxTtl: number;
  /** The same whatever the mount allows later. */
  readonly explicitMaxTtl: number;
  /** Makes the token periodic. */
  readonly period: number;
  /** How often it may be used; 0: without limit. */
  readonly numUses: number;
  readonly renewable: boolean;
  /** Leaves the policy `default` out. */
  readonly noDefaultPolicy: boolean;
  /** Absent: `service`. */
  readonly type?: 'service' | 'batch';
  /** CIDR blocks that it may be used from; absent or empty: everywhere. */
  readonly cidrs?: readonly string[];
}
