import type { KeyService } from '../../../lib/key-services/contract.ts';
import type { FakeServer } from './server.ts';

/** A stand-in of a key service with two keys, and clients of ours for them. */
export interface FakeKeyService {
  readonly server: FakeServer;
  /** A client for the first key; `other` is one for the second. */
  readonly service: KeyService;
  readonly other: KeyService;
  /** Makes a newer version of the first key. */
  rotate(): void;
}
