import { sql } from 'kysely';
import { badField } from '#core/errors.ts';
import { text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { Asked, OidcParts } from './parts.ts';

/** The configured issuer of a namespace; empty when none is configured. */
export async function readIssuer({ db }: Pick<Store, 'db'>, namespaceId: string): Promise<string> {
  const { rows } = await rowsOf({ issuer: text })`
    select issuer from oidc_issuers where namespace_id = ${namespaceId}`.execute(db);
  return rows[0]?.issuer ?? '';
}

export async function writeIssuer({ db }: Pick<Store, 'db'>, namespaceId: string, issuer: string): Promise<void> {
  await sql`
    insert into oidc_issuers (namespace_id, issuer) values (${namespaceId}, ${issuer})
    on conflict (namespace_id) do update set issuer = excluded.issuer`.execute(db);
}

/** @throws AppError `bad-request` unless it is empty or consists of a scheme, a host and an optional port */
export function checkIssuer(issuer: string): void {
  if (issuer === '') return;
  const url = URL.parse(issuer);
  if (url !== null && /^https?:$/.test(url.protocol) && /^https?:\/\/[^/?#@\\\s]+$/.test(issuer)) return;
  throw badField(
    'issuer',
    'invalid issuer, which must include only a scheme, host, and optional port (e.g. https://example.com:8200)',
  );
}

/** The claim `iss` of tokens: the address of `identity/oidc` of the namespace. */
export const issuerOf = (parts: Pick<OidcParts, 'publicUrl'>, asked: Asked, configured: string): string =>
  `${configured === '' ? originOf(parts, asked) : configured}/v1/${asked.namespace.path}identity/oidc`;

/** The claim `iss` of ID tokens of a provider. */
export const providerIssuerOf = (
  parts: Pick<OidcParts, 'publicUrl'>,
  asked: Asked,
  { name, configured }: { readonly name: string; readonly configured: string },
): string => `${issuerOf(parts, asked, configured)}/provider/${name}`;

function originOf({ publicUrl }: Pick<OidcParts, 'publicUrl'>, { headers, connection }: Asked): string {
  if (publicUrl !== undefined) return publicUrl;
  const { host } = headers;
  const sent = `${connection.tls ? 'https' : 'http'}://${typeof host === 'string' ? host : ''}`;
  return URL.parse(sent)?.origin ?? 'http://localhost';
}
