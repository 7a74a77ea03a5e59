import sodium from 'libsodium-wrappers';

/** A location that holds secrets: a repository, an environment or an organization. */
export interface Container {
  /** Key pairs by id, the newest last. Only the newest is accepted. */
  keys: KeyPair[];
  readonly secrets: Map<string, StoredSecret>;
  readonly secretsMax: number;
}

export interface KeyPair {
  readonly id: string;
  readonly publicKey: Uint8Array;
  readonly privateKey: Uint8Array;
}

export interface StoredSecret {
  readonly value: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly visibility: Visibility | undefined;
}

export interface Visibility {
  readonly visibility: string;
  readonly selectedRepositoryIds: readonly number[];
}

/** `await sodium.ready` first. */
export function newContainer(secretsMax: number): Container {
  return { keys: [newKeyPair(1)], secrets: new Map(), secretsMax };
}

export function newKeyPair(number: number): KeyPair {
  const { publicKey, privateKey } = sodium.crypto_box_keypair();
  return { id: String(568250167242549700n + BigInt(number)), publicKey, privateKey };
}

/** Undefined when the box was not sealed for this key. */
export function openBox(sealed: string, { publicKey, privateKey }: KeyPair): Buffer | undefined {
  try {
    return Buffer.from(sodium.crypto_box_seal_open(Buffer.from(sealed, 'base64'), publicKey, privateKey));
  } catch {
    return undefined;
  }
}
