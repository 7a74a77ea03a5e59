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
  /** Requests that still find it on the way from one state to the next. */
  busy: number;
}

/** The real vault takes seconds; this one takes requests, so that a test does not depend on time. */
const busyRequests = 2;
const next: Readonly<Record<'deleting' | 'recovering', State>> = { deleting: 'deleted', recovering: 'live' };

export interface Vault {
  /** The secret in its present state, which time (that is, this look) may have moved on. */
  find(name: string): StoredSecret | undefined;
  add(name: string, version: Omit<Version, 'id' | 'created'>): Version;
  start(secret: StoredSecret, state: 'deleting' | 'recovering' | 'purging'): void;
  live(): Iterable<StoredSecret>;
  seed(name: string, value: string): void;
  /** Whoever writes a version by hand takes the tags along. */
  change(name: string, value: string): void;
}

export function newVault(): Vault {
  // Names are the same in upper and lower case.
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
