import type { DatabaseAddress, DatabaseHost } from '#core/settings/database/address.ts';
import { parseDatabaseUrl } from '#core/settings/database/parse.ts';
import { codeOf, whyNoConnection } from '../failure.ts';
import { NoServer } from '../refusal.ts';
import type { PasswordSource } from './password.ts';

/** The address of the store and how to log in. */
export interface DatabaseAccess {
  /** `postgres://user:password@host:port,host:port/database?sslmode=...` */
  readonly databaseUrl: string;
  /** Called for each connection; replaces the password in the URL. */
  readonly password?: PasswordSource | undefined;
}

/** One way to reach a server: a host, with or without TLS. */
export interface Way extends DatabaseHost {
  readonly tls: boolean;
}

/** The servers of a database. New connections go to the current one, which is the last that worked. */
export class Servers {
  readonly address: DatabaseAddress;
  readonly ways: readonly Way[];
  readonly #password: PasswordSource | undefined;
  #at: number;

  /** @throws Error for an unusable URL; the message does not contain the URL */
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

  /** Moves on to the next way, unless another connection has already done so. */
  failed(way: Way): void {
    if (this.ways[this.#at] === way) this.#at = (this.#at + 1) % this.ways.length;
  }

  password(): Promise<string> | string | undefined {
    return this.#password === undefined ? this.address.password?.reveal() : this.#password();
  }

  /**
   * Dials until a server accepts, each way once at most. As in libpq, a server that refuses the login ends the search: the other
   * servers would refuse the login too and count it as a failure.
   *
   * @throws the error of the last way; with several ways, an error that lists why each failed
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
        if (failures.length < this.ways.length && !this.#endsSearch(failure)) continue;
        throw failures.length === 1 ? failure.cause : noServer(failures);
      }
    }
  }

  /** With sslmode=prefer, a server that refuses a login over TLS may accept it without TLS. */
  #endsSearch({ way, cause }: DialError): boolean {
    const code = codeOf(cause);
    return code === '28P01' || (code === '28000' && !(way.tls && this.address.tls.mode === 'prefer'));
  }
}

/** A way that failed. */
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

/** When the pool's own timeout ends an attempt, the pool wraps its error. */
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
