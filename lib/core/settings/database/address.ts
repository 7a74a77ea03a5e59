import type { Secret } from '../../secret.ts';

/** The parsed `DATABASE_URL`: the hosts of the database, and how both sides authenticate. */
export interface DatabaseAddress {
  /** At least one host, in the order in which they are tried. */
  readonly hosts: readonly DatabaseHost[];
  /** Whether to begin with a random host. */
  readonly shuffled: boolean;
  readonly target: TargetServer;
  readonly user: string | undefined;
  readonly password: Secret | undefined;
  readonly database: string | undefined;
  readonly tls: DatabaseTls;
  readonly login: DatabaseLogin;
  /** Further connection options of the URL, by the names of `pg`. They override the service's own. */
  readonly startUp: Readonly<Record<string, string>>;
}

export interface DatabaseHost {
  /** Name or IP address; with a leading slash, the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

/**
 * Which server to use. `any`: the first that answers. `primary`: the first that is not a standby. `read-write`: the first whose
 * sessions may write, which excludes standbys.
 */
export type TargetServer = 'any' | 'primary' | 'read-write';

/**
 * `prefer` falls back to no TLS and `no-verify` accepts any certificate: both protect only against passive listeners. `verify-ca`
 * checks the issuer of the certificate, `verify-full` also the host name. `require` is treated as `verify-full`.
 */
export type TlsMode = 'disable' | 'prefer' | 'no-verify' | 'verify-ca' | 'verify-full';

export interface DatabaseTls {
  readonly mode: TlsMode;
  /** File of the trusted authorities, or `system`; undefined for those of Node. */
  readonly rootCertificateFile: string | undefined;
  /** Files of the client certificate and its key. */
  readonly certificateFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly keyPassword: Secret | undefined;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3' | undefined;
  /** Whether TLS begins with the first byte, which needs PostgreSQL 17 or later. */
  readonly direct: boolean;
}

/** The authentication methods that a server may request. */
export type LoginKind = 'none' | 'password' | 'md5' | 'scram-sha-256';

export interface DatabaseLogin {
  /** Any other method is refused before a password is sent. */
  readonly allowed: ReadonlySet<LoginKind>;
  /** Whether the login is bound to the server's certificate, so that no intermediary can relay it. */
  readonly channelBinding: 'disable' | 'prefer' | 'require';
}
