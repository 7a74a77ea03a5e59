import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose';
import { type Kysely, sql } from 'kysely';
import { uuid } from '#core/ids.ts';
import { Secret } from '#core/secret.ts';
import type { Barrier, Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';

/** Signature algorithms with public keys. */
export const algorithms = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const;
export type Algorithm = (typeof algorithms)[number];

export type VersionState = 'next' | 'signing';

/** A new pair of keys. */
export interface NewVersion {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly publicKey: JWK;
  /** A JWK. */
  readonly privateKey: Secret;
}

const modulusLength = 2_048;

/** Generates a pair in a thread of the runtime. */
export async function newVersion(algorithm: Algorithm): Promise<NewVersion> {
  const id = uuid();
  const pair = await generateKeyPair(algorithm, { extractable: true, modulusLength });
  const publicKey = { use: 'sig', ...(await exportJWK(pair.publicKey)), kid: id, alg: algorithm };
  return { id, algorithm, publicKey, privateKey: new Secret(JSON.stringify(await exportJWK(pair.privateKey))) };
}

/** The key that a version belongs to. */
export interface KeyAt {
  readonly namespaceId: string;
  readonly name: string;
}

/** Stores a version with its private key sealed. */
export async function insertVersion(
  db: Kysely<Database>,
  { barrier }: Pick<Store, 'barrier'>,
  { namespaceId, name }: KeyAt,
  { id, algorithm, publicKey, privateKey }: NewVersion,
  state: VersionState,
): Promise<void> {
  const sealed = barrier.seal(privateKey.reveal(), aadOf(id));
  await sql`
    insert into oidc_key_versions (id, namespace_id, key, algorithm, state, public_key, private_key)
    values (${id}, ${namespaceId}, ${name}, ${algorithm}, ${state}, ${JSON.stringify(publicKey)}::jsonb, ${sealed})`.execute(
    db,
  );
}

/** Imports the private key of a stored version. */
export function privateKeyOf(
  barrier: Barrier,
  { id, algorithm, sealed }: { readonly id: string; readonly algorithm: string; readonly sealed: Buffer },
): Promise<CryptoKey | Uint8Array> {
  const jwk: unknown = JSON.parse(barrier.open(sealed, aadOf(id)).toString());
  return importJWK(Object(jwk), algorithm);
}

/** Additional data that binds a sealed private key to its row. */
const aadOf = (id: string): string => `oidc_key_versions/${id}`;
