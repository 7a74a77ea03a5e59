import { CompactSign } from 'jose';
import { arrayOf, bytea, int, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { type Algorithm, algorithms, privateKeyOf } from '../keys/version.ts';
import type { OidcParts } from '../parts.ts';

/** A key pair that signs now. */
export interface SigningVersion {
  readonly id: string;
  readonly algorithm: Algorithm;
  readonly sealed: Buffer;
}

/** A key pair that signs now, and what its key allows. */
export interface KeyOfClient extends SigningVersion {
  readonly verificationSeconds: number;
  allows(clientId: string): boolean;
}

const columns = {
  id: text,
  algorithm: oneOf(...algorithms),
  sealed: nullable(bytea),
  verification_ttl: int,
  allowed_client_ids: arrayOf(text),
};

export async function signingVersion(
  { db }: Pick<Store, 'db'>,
  namespaceId: string,
  key: string,
): Promise<KeyOfClient | undefined> {
  const { rows } = await rowsOf(columns)`
    select v.id::text as id, v.algorithm, v.private_key as sealed, k.verification_ttl, k.allowed_client_ids
      from oidc_keys k join oidc_key_versions v on v.namespace_id = k.namespace_id and v.key = k.name and v.state = 'signing'
     where k.namespace_id = ${namespaceId} and k.name = ${key}`.execute(db);
  const [row] = rows;
  if (row === undefined || row.sealed === null) return undefined;
  const { id, algorithm, sealed, verification_ttl: verificationSeconds, allowed_client_ids: allowed } = row;
  const allows = (clientId: string) => allowed.includes('*') || allowed.includes(clientId);
  return { id, algorithm, sealed, verificationSeconds, allows };
}

/** A signed token with these claims. */
export async function signed(
  { store }: Pick<OidcParts, 'store'>,
  version: SigningVersion,
  claims: object,
): Promise<string> {
  const key = await privateKeyOf(store.barrier, version);
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: version.algorithm, kid: version.id })
    .sign(key);
}
