import type { DatabaseAddress, DatabaseHost } from '../../../core/database/address.ts';
import { parseDatabaseUrl } from '../../../core/database/parse.ts';
import { codeOf, whyNoConnection } from '../failure.ts';
import type { PasswordSource } from './password.ts';
import { NoServer } from './refusal.ts';

/** Where the store is, and how to get in. */
export interface DatabaseAccess {
  /** `postgres://user:password@host:port,host:port/database?sslmode=...` */
  readonly databaseUrl: string;
  /** Asked for each connection, in place of the password in the URL. */
  readonly password?: PasswordSource | undefined;
}

/** A way to a server: a host, with TLS or without. */
export interface Way extends DatabaseHost {
  readonly tls: boolean;
}

/** The servers of a database, of which one at a time is the one to go to: the last that was good. */
export class Servers {
  readonly address: DatabaseAddress;
  readonly ways: readonly Way[];
  readonly #password: PasswordSource | undefined;
  #at: number;

  /** @throws Error for a URL that cannot be used; the error does not show it */
  constructor({ databaseUrl, password }: DatabaseAccess) {
    this.address = read(databaseUrl);
    this.#password = password;
    const { hosts, shuffled, tls } = this.address;
    this.ways = hosts.flatMap((host) => waysTo(host, tls.mode));
    this.#at = shuffled ? Math.floor(Math.random() * this.ways.length) : 0;
  }

  /** The way to try now. */
  way(): Way {
    const way = this.ways[this.#at];
    if (way === undefined) throw new Error('a database has at least one host');
    return way;
  }

  /** The next one is to be tried, unless somebody has found that out already. */
  failed(way: Way): void {
    if (this.ways[this.#at] === way) this.#at = (this.#at + 1) % this.ways.length;
  }

  password(): Promise<string> | string | undefined {
    return this.#password === undefined ? this.address.password?.reveal() : this.#password();
  }

  /**
   * Dials until a server is found, each way once at most. A server that knows us and refuses the login ends it, as in libpq: the
   * others would refuse it too, and count it.
   *
   * @throws what the last way came to, with a word on each where there are several
   */
  async each<T>(dial: () => Promise<T>): Promise<T> {
    const failures: DialError[] = [];
    for (;;) {
      try {
        return await dial();
      } catch (cause) {
        const failure = dialErrorIn(cause);
        if (failure === undefined) throw cause;
        failures.push(failure);
        if (failures.length < this.ways.length && !this.#endsTheSearch(failure)) continue;
        throw failures.length === 1 ? failure.cause : noServer(failures);
      }
    }
  }

  /** Where TLS is not required, a server may take the same login without it. */
  #endsTheSearch({ way, cause }: DialError): boolean {
    const code = codeOf(cause);
    return code === '28P01' || (code === '28000' && !(way.tls && this.address.tls.mode === 'prefer'));
  }
}

/** A way that came to nothing. */
export class DialError extends Error {
  override readonly name = 'DialError';
  readonly way: Way;

  constructor(way: Way, cause: unknown) {
    super('no connection', { cause });
    this.way = way;
  }
}

function read(databaseUrl: string): DatabaseAddress {
  try {
    return parseDatabaseUrl(databaseUrl);
  } catch (error) {
    throw new Error(`the database URL ${error instanceof Error ? error.message : 'cannot be read'}`);
  }
}

const waysTo = (host: DatabaseHost, mode: DatabaseAddress['tls']['mode']): readonly Way[] =>
  mode === 'prefer' && !host.host.startsWith('/')
    ? [
        { ...host, tls: true },
        { ...host, tls: false },
      ]
    : [{ ...host, tls: mode !== 'disable' && !host.host.startsWith('/') }];

/** The pool wraps what it has ended by its own limit. */
function dialErrorIn(cause: unknown): DialError | undefined {
  if (cause instanceof DialError) return cause;
  return cause instanceof Error && cause.cause instanceof DialError ? cause.cause : undefined;
}

function noServer(failures: readonly DialError[]): NoServer {
  const texts = new Set(failures.map(({ way, cause }) => `${nameOf(way)}: ${whyNoConnection(cause)}`));
  return new NoServer(
    [...texts].join('; '),
    failures.map(({ cause }) => cause),
  );
}

const nameOf = ({ host, port }: Way): string => (host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`);
