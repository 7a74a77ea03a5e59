import { badRequest } from '#core/errors.ts';
import type { ReplyContent } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import { arrayOf, bytea, int, nullable, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { quoted } from '../fields.ts';
import { issuerOf } from '../issuer.ts';
import { algorithms } from '../keys/version.ts';
import type { OidcParts } from '../parts.ts';
import { parseTemplate } from '../template/template.ts';
import { signed } from './sign.ts';

const signerColumns = {
  key: text,
  template: text,
  client_id: text,
  ttl: int,
  verification_ttl: int,
  allowed_client_ids: arrayOf(text),
  id: text,
  algorithm: oneOf(...algorithms),
  sealed: nullable(bytea),
  issuer: text,
};

/** Reads a role, its key and the issuer in one statement, so that the key signs at the moment of the role's settings. */
async function signerOf({ db }: Pick<Store, 'db'>, namespaceId: string, role: string) {
  const { rows } = await rowsOf(signerColumns)`
    select r.key, r.template, r.client_id, r.ttl, k.verification_ttl, k.allowed_client_ids, v.id::text as id, v.algorithm,
           v.private_key as sealed,
           coalesce((select issuer from oidc_issuers i where i.namespace_id = r.namespace_id), '') as issuer
      from oidc_roles r
      join oidc_keys k on k.namespace_id = r.namespace_id and k.name = r.key
      join oidc_key_versions v on v.namespace_id = r.namespace_id and v.key = r.key and v.state = 'signing'
     where r.namespace_id = ${namespaceId} and r.name = ${role}`.execute(db);
  return rows[0];
}

/**
 * A signed token about the entity of the caller.
 *
 * @throws AppError `bad-request` when there is no such role, the key does not allow its client, or the caller has no entity
 */
export async function issueToken(
  parts: OidcParts,
  role: string,
  context: Pick<RequestContext, 'caller' | 'namespace' | 'headers' | 'connection'>,
): Promise<ReplyContent> {
  const { store, factsOf } = parts;
  const { caller, namespace } = context;
  const signer = await signerOf(store, namespace.id, role);
  if (signer === undefined || signer.sealed === null) throw badRequest(`role ${quoted(role)} not found`);
  const { client_id, ttl, verification_ttl, sealed } = signer;
  if (!signer.allowed_client_ids.includes('*') && !signer.allowed_client_ids.includes(client_id)) {
    throw badRequest(
      `the key ${quoted(signer.key)} does not list the client ID of the role ${quoted(role)} as an allowed client ID`,
    );
  }
  const { entityId = '', entityState } = caller ?? {};
  const { entity, groups } = (await factsOf({ entityId, entityState })).subjectIn(namespace.id);
  if (entity === undefined) throw badRequest("no entity associated with the request's token");
  const now = Math.floor(store.clock.now().getTime() / 1_000);
  const seconds = Math.min(ttl, verification_ttl);
  const claims = {
    ...parseTemplate(signer.template)({ entity, groups, now }),
    iss: issuerOf(parts, context, signer.issuer),
    namespace: namespace.id,
    sub: entity.id,
    aud: client_id,
    exp: now + seconds,
    iat: now,
  };
  const token = await signed(parts, { ...signer, sealed }, claims);
  return { data: { token, client_id, ttl } };
}
