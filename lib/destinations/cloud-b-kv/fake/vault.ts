import { randomBytes } from 'node:crypto';

export interface Version {
  readonly id: string;
  readonly value: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly contentType: string | undefined;
  readonly enabled: boolean;
  /** Whole seconds since 1970, the unit of the service. */
  readonly created: number;
}

export type State = 'live' | 'deleting' | 'deleted' | 'recovering' | 'purging';

export interface StoredSecret {
  readonly name: string;
  readonly versions: Version[];
  state: State;
  /** The number of further requests that find the change of state still in progress. */
  busy: number;
}

/** The real vault takes seconds to change a state; this one counts requests, so that tests do not depend on time. */
const busyRequests = 2;
const next: Readonly<Record<'deleting' | 'recovering', State>> = { deleting: 'deleted', recovering: 'live' };

export interface Vault {
  /** The secret in its present state. Each call brings a change of state nearer to its end. */
  find(name: string): StoredSecret | undefined;
  add(name: string, version: Omit<Version, 'id' | 'created'>): Version;
  start(secret: StoredSecret, state: 'deleting' | 'recovering' | 'purging'): void;
  live(): Iterable<StoredSecret>;
  seed(name: string, value: string): void;
  /** Adds a version as a user does by hand, who keeps the tags. */
  change(name: string, value: string): void;
}

export function newVault(): Vault {
  // Names ignore case.
  const secrets = new Map<string, StoredSecret>();

  function find(name: string): StoredSecret | undefined {
    const secret = secrets.get(name.toLowerCase());
    if (secret === undefined || secret.state === 'live' || secret.state === 'deleted') return secret;
    secret.busy -= 1;
    if (secret.busy >= 0) return secret;
    if (secret.state === 'purging') {
      secrets.delete(name.toLowerCase());
      return undefined;
    }
    secret.state = next[secret.state];
    return secret;
  }

  function add(name: string, version: Omit<Version, 'id' | 'created'>): Version {
    const secret = secrets.get(name.toLowerCase()) ?? { name, versions: [], state: 'live' as const, busy: 0 };
    const made = { ...version, id: randomBytes(16).toString('hex'), created: Math.floor(Date.now() / 1000) };
    secret.versions.push(made);
    secrets.set(name.toLowerCase(), secret);
    return made;
  }

  return {
    find,
    add,
    start(secret, state) {
      secret.state = state;
      secret.busy = busyRequests;
    },
    live: () => [...secrets.values()].filter((secret) => secret.state === 'live'),
    seed(name, value) {
      secrets.delete(name.toLowerCase());
      add(name, { value, tags: {}, contentType: undefined, enabled: true });
    },
    change(name, value) {
      const secret = secrets.get(name.toLowerCase());
      if (secret === undefined) throw new Error(`the stand-in has no secret ${name}`);
      add(name, { ...newestOf(secret), value });
    },
  };
}

/** The newest version is the last that was added. */
export function newestOf({ name, versions }: StoredSecret): Version {
  const newest = versions.at(-1);
  if (newest === undefined) throw new Error(`the stand-in holds secret ${name} without a version`);
  return newest;
}
