import type { JSONWebKeySet } from 'jose';
import { createLocalJWKSet, decodeJwt, jwtVerify } from 'jose';
import type { OpenService } from '#test/support/flow/open-service.ts';

/** A token of a new entity, with the policy `default` and those given. */
export async function someone(service: OpenService, policies: readonly string[] = []) {
  await service.ask('POST', 'auth/token/roles/alias', { allowed_entity_aliases: '*', orphan: true });
  const body = { entity_alias: service.name('someone'), policies: ['default', ...policies] };
  const { client_token, entity_id } = Object((await service.ask('POST', 'auth/token/create/alias', body)).body['auth']);
  return { token: String(client_token), entity: String(entity_id), alias: body.entity_alias };
}

export type Someone = Awaited<ReturnType<typeof someone>>;

/** Asks as this caller. */
export const as = ({ token }: Pick<Someone, 'token'>) => ({ headers: { 'x-service-token': token } });

/** A policy that lets its holders get tokens of every role. */
export async function mayGetTokens(service: OpenService): Promise<string> {
  const name = service.name('tokens');
  await service.ask('PUT', `sys/policies/acl/${name}`, {
    policy: 'path "identity/oidc/token/*" { capabilities = ["read"] }',
  });
  return name;
}

/** Creates a key that allows all clients, and a role of it. Returns the name of both. */
export async function roleOf(service: OpenService, key: object = {}, role: object = {}): Promise<string> {
  const name = service.name('role');
  const made = await service.ask('POST', `identity/oidc/key/${name}`, {
    allowed_client_ids: '*',
    algorithm: 'ES256',
    ...key,
  });
  if (made.status !== 204) throw new Error(made.errors.join());
  const answer = await service.ask('POST', `identity/oidc/role/${name}`, { key: name, ...role });
  if (answer.status !== 204) throw new Error(answer.errors.join());
  return name;
}

/** Verifies a token as any library of OpenID Connect does: with the discovery document and its key set. Returns the claims. */
export async function verified(jwt: string, namespacePath = ''): Promise<Readonly<Record<string, unknown>>> {
  const { iss = '' } = decodeJwt(jwt);
  const document = await json(`${iss}/.well-known/openid-configuration`);
  if (document['issuer'] !== iss || !iss.endsWith(`/v1/${namespacePath}identity/oidc`))
    throw new Error('another issuer');
  const keys = await json(String(document['jwks_uri']));
  const { payload } = await jwtVerify(jwt, createLocalJWKSet(keys as unknown as JSONWebKeySet), { issuer: iss });
  return payload;
}

export async function json(url: string): Promise<Readonly<Record<string, unknown>>> {
  return Object(await (await fetch(url)).json());
}
