import type { AutomaticSealType } from '../store/seal/keys/root-key-source.ts';

/** A key that a cloud keeps and does not hand out. It wraps small keys of ours. */
export interface KeyService {
  readonly type: KeyServiceType;
  /** The configured key, for messages. */
  readonly keyId: string;
  /** `context` is authenticated with the key where the service can do that. @throws AppError `unavailable` */
  wrap(key: Uint8Array, context: string, signal: AbortSignal): Promise<Wrapped>;
  /**
   * @throws CipherError when the configured key did not wrap this
   * @throws AppError `unavailable`, with what to do about it
   */
  unwrap(wrapped: Wrapped, context: string, signal: AbortSignal): Promise<Buffer>;
}

export type KeyServiceType = Exclude<AutomaticSealType, 'static'>;

export interface Wrapped {
  readonly bytes: Buffer;
  /** The key that was used, with its version where the service tells it. */
  readonly keyId: string;
}

/** Which key, and where. */
export interface KeyServiceSettings {
  readonly keyId: string;
  /** For a key that does not name its region, where the service has regions. */
  readonly region: string | undefined;
  /** Instead of the provider's own address: an emulator, or a private endpoint. */
  readonly endpoint: string | undefined;
}

/** The credentials of this process at a service, which differ by service: a bearer token. */
export type BearerToken = (signal: AbortSignal) => Promise<string>;
