import type { Secret } from '../secret.ts';

/** What `DATABASE_URL` says: where the database is, and how its servers and we prove who we are. */
export interface DatabaseAddress {
  /** In the order in which they are tried. At least one. */
  readonly hosts: readonly DatabaseHost[];
  /** The first host is picked at random. */
  readonly shuffled: boolean;
  readonly target: TargetServer;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  readonly database: string | undefined;
  readonly tls: DatabaseTls;
  readonly login: DatabaseLogin;
  /** What else the URL wants of each connection, by the names of `pg`. It takes the place of our own. */
  readonly startUp: Readonly<Record<string, string>>;
}

export interface DatabaseHost {
  /** Name or IP address; with a slash in front: the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/**
 * Which server is taken. `any`: the first that answers. `primary`: the first that is no standby. `read-write`: the first whose sessions
 * may write, which a standby's may not.
 */
export type TargetServer = 'any' | 'primary' | 'read-write';

/**
 * `prefer` falls back to no TLS, and `no-verify` takes any certificate: both keep out listeners alone. `verify-ca` checks who signed the
 * certificate, `verify-full` whose it is as well. `require` is `verify-full`.
 */
export type TlsMode = 'disable' | 'prefer' | 'no-verify' | 'verify-ca' | 'verify-full';

export interface DatabaseTls {
  readonly mode: TlsMode;
  /** File of the authorities that are trusted, or `system`. Undefined: those of Node. */
  readonly rootCertificateFile: string | undefined;
  /** Files of the certificate that we show, and its key. */
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyPassword: Secret | undefined;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** TLS from the first byte, which PostgreSQL 17 and later take. */
  readonly direct: boolean;
}

/** How a server may ask us who we are. */
export type LoginKind = 'none' | 'password' | 'md5' | 'scram-sha-256';

export interface DatabaseLogin {
  /** Any other way is refused, before a password is sent. */
  readonly allowed: ReadonlySet<LoginKind>;
  /** Whether the login is bound to the certificate of the server, so that nobody in between can pass it on. */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
}
