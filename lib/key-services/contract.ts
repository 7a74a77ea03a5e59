import type { AutomaticSealType } from '#store/seal/keys/root-key-source.ts';

/** A key that never leaves the cloud's key service. It wraps small keys. */
export interface KeyService {
  readonly type: KeyServiceType;
  /** The configured key id, for messages. */
  readonly keyId: string;
  /** `context` is authenticated together with the key if the service supports it. @throws AppError `unavailable` */
  wrap(key: Uint8Array, context: string, signal: AbortSignal): Promise<Wrapped>;
  /**
   * @throws CipherError when the configured key did not wrap this
   * @throws AppError `unavailable`, with the remedy in its message
   */
  unwrap(wrapped: Wrapped, context: string, signal: AbortSignal): Promise<Buffer>;
}

export type KeyServiceType = Exclude<AutomaticSealType, 'static'>;

export interface Wrapped {
  readonly bytes: Buffer;
  /** The key used, with its version if the service returns it. */
  readonly keyId: string;
}

/** The settings of a key. */
export interface KeyServiceSettings {
  readonly keyId: string;
  /** The region, for a key id that does not contain it. */
  readonly region: string | undefined;
  /** Replaces the provider's own address, for an emulator or a private endpoint. */
  readonly endpoint: string | undefined;
}

/** Returns a bearer token of this process for the service. */
export type BearerToken = (signal: AbortSignal) => Promise<string>;
