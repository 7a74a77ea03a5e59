import type { Transaction } from 'kysely';
import type { Clock } from '#core/clock.ts';
import type { Engine } from '#path/contract/engine.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Lockout } from '../lockout/lockout.ts';
import type { LoginOperation } from '../login/contract.ts';
import type { Remote } from '../login/remote/remote.ts';
import type { TokenSettings } from '../login/role/settings.ts';
import type { TokenParts } from '../token/parts.ts';

/** A way to log in, listed in `index.ts`. A method is a folder: `index`, `config`, `role`, `login`. */
export interface AuthMethod {
  /** The type of its mounts. Clients enable it by this name. */
  readonly type: string;
  /** Other names that clients enable it by; a mount keeps the name that it was enabled by. */
  readonly names?: readonly string[];
  /** The method has one mount, which always exists, and cannot be enabled elsewhere. */
  readonly fixed?: true;
  /**
   * Removes at most `limit` things of a mount in the caller's transaction, and returns one text for each. Absent for a method
   * that stores so little that it goes with the mount.
   */
  readonly removeSecrets?: (tx: Transaction<Database>, mountId: string, limit: number) => Promise<readonly string[]>;
  /** Removes at most `limit` expired things and returns their number. */
  readonly expire?: (store: Store, limit: number) => Promise<number>;
  /**
   * The settings of the role or user that the metadata of a login's token names. Undefined when it no longer exists. Absent for
   * a method whose tokens are renewed by their own limits alone.
   */
  readonly settingsOf?: (
    store: Store,
    mountId: string,
    metadata: Readonly<Record<string, string>>,
  ) => Promise<TokenSettings | undefined>;
  /** Its rows below a mount, and the mount that exists without being enabled. */
  open(parts: MethodParts): Pick<Engine, 'rows' | 'always' | 'loginRole'>;
}

export interface MethodParts extends TokenParts {
  /** Times in the replies of other systems are compared with this clock. */
  readonly clock: Clock;
  /** Refuses logins with a name after too many wrong credentials. */
  readonly lockout: Lockout;
  /** Makes the operation that logs in. It needs no token and replies with one. */
  readonly login: LoginOperation;
  /** Calls the systems that confirm identities. */
  readonly remote: Remote;
  /** The folder where an orchestrator puts the token and the certificates of the server's own service account. */
  readonly localAccountDir: string;
}
