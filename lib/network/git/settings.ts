import type { NetworkBounds } from '../bounds.ts';

/** How this machine reaches repositories. */
export interface GitSettings {
  /** The program, by its name or its path. */
  readonly program: string;
  readonly bounds: NetworkBounds;
  /** Certificates that servers of repositories are verified by, instead of the system's. */
  readonly caFile: string | undefined;
  /** Keys of SSH hosts. Without it no repository is fetched over SSH. */
  readonly knownHostsFile: string | undefined;
}

/** A repository, and what opens it. */
export interface Remote {
  /** `https://`, `http://` or `ssh://`, without a credential. */
  readonly url: string;
  /** The value of the header `Authorization`, for this server alone. */
  readonly authorization?: string | undefined;
  /** A private key, for SSH. */
  readonly sshKey?: string | undefined;
}

/** Limits of everything that is done with one repository. */
export interface GitLimits {
  readonly connectMs: number;
  /** Received from the server. */
  readonly bytesMax: number;
}

/** A repository that cannot be used. The message is for people and holds no secret. */
export class GitFailure extends Error {
  override readonly name = 'GitFailure';
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, { isTemporary = false } = {}) {
    super(message);
    this.isTemporary = isTemporary;
  }
}
