import type { KeyService } from '#key-services/contract.ts';
import type { FakeServer } from './server.ts';

/** A stand-in of a key service with two keys, and our clients for them. */
export interface FakeKeyService {
  readonly server: FakeServer;
  /** The client for the first key; `other` is for the second. */
  readonly service: KeyService;
  readonly other: KeyService;
  /** Adds a newer version of the first key. */
  rotate(): void;
}
