import type { Caller, Verb } from '../path/row.ts';

/** Who asks, and may they. The pipeline's only door to this room. */
export interface Gatekeeper {
  /** The caller behind a token; undefined for a token that is unknown, expired or revoked. */
  authenticate(token: string): Promise<Caller | undefined>;
  /** Whether the caller's policies allow the capability on a full path (below `/v1/`, without a leading slash). */
  authorise(caller: Caller, need: Need): Promise<boolean>;
}

export interface Need {
  readonly capability: Exclude<Verb, 'write'> | 'create' | 'update';
  readonly path: string;
  /** The path needs the sudo capability as well. */
  readonly sudo: boolean;
}
