import type { Secret } from '#core/secret.ts';

/** The server, and how to call it. */
export interface Connection {
  /** With scheme and without a trailing slash. */
  readonly address: string;
  /** Path of the namespace; empty for the root. */
  readonly namespace: string;
  readonly token: Secret | undefined;
  /** Codes of second factors for a login, as `method:code`. */
  readonly codes?: Secret;
  /** Certificates to trust in addition to those of Node, in PEM. */
  readonly certificates: string | undefined;
  /** Accepts any certificate. */
  readonly skipVerify: boolean;
  /** Time limit of one attempt, from its connection to the end of its reply. */
  readonly timeoutMs: number;
  /** Attempts of a call that is safe to repeat, including the first. */
  readonly attemptsMax: number;
  /** Delay before the second attempt; it doubles with each further one. */
  readonly retryMsFirst: number;
}
