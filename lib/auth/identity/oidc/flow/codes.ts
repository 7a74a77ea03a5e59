import { sql } from 'kysely';
import { z } from 'zod';
import { randomBase62 } from '#core/ids.ts';
import { arrayOf, bytea, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';

/** What a client asked for when a caller logged in. */
export type Login = z.infer<typeof login>;

const login = z.object({
  provider: z.string(),
  redirectUri: z.string(),
  nonce: z.string(),
  scopes: z.array(z.string()),
  /** Empty: without proof of possession (RFC 7636). */
  challenge: z.string(),
  method: z.enum(['plain', 'S256']),
  /** Seconds since 1970; null when the client did not limit it. */
  authTime: z.number().nullable(),
});

/** The two parties of a login. */
export interface Parties {
  readonly clientId: string;
  readonly entityId: string;
}

const codeSeconds = 300;
const codeLength = 32;
const tokenLength = 64;
/** Bound of one entity; a new code or token replaces the one that expires first. */
const perEntityMax = { oidc_codes: 100, oidc_access_tokens: 1_000 };

/** Stores a login sealed, and returns its code, which the store knows as a keyed hash only. */
export async function keepLogin(store: Store, { clientId, entityId }: Parties, given: Login): Promise<string> {
  const code = randomBase62(codeLength);
  const hash = store.barrier.mac('oidc-code', code);
  const sealed = store.barrier.seal(JSON.stringify(given), aadOf(hash));
  await dropExcess(store, 'oidc_codes', entityId);
  await sql`
    insert into oidc_codes (hash, client_id, entity_id, login, expire_at)
    values (${hash}, ${clientId}, ${entityId}, ${sealed}, now() + make_interval(secs => ${codeSeconds}))`.execute(
    store.db,
  );
  return code;
}

async function dropExcess({ db }: Store, table: keyof typeof perEntityMax, entityId: string): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where hash in (
      select hash from ${sql.table(table)} where entity_id = ${entityId}
       order by expire_at desc offset ${perEntityMax[table] - 1})`.execute(db);
}

/** Takes a login: of any number of callers one gets it, whoever it is. Undefined when it was taken or has expired. */
export async function takeLogin({ db, barrier }: Store, code: string): Promise<(Login & Parties) | undefined> {
  const hash = barrier.mac('oidc-code', code);
  const { rows } = await rowsOf({ client_id: text, entity_id: text, login: bytea })`
    delete from oidc_codes where hash = ${hash} and expire_at > now() returning client_id, entity_id, login`.execute(
    db,
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const kept = login.parse(JSON.parse(barrier.open(row.login, aadOf(hash)).toString()));
  return { ...kept, clientId: row.client_id, entityId: row.entity_id };
}

const aadOf = (hash: Buffer): string => `oidc_codes/${hash.toString('hex')}`;

/** What an access token gives access to. */
export interface Access extends Parties {
  readonly provider: string;
  readonly scopes: readonly string[];
}

/** Makes an access token, which the store knows as a keyed hash only. */
export async function keepAccess(store: Store, access: Access, seconds: number): Promise<string> {
  const token = `hvo_${randomBase62(tokenLength)}`;
  const { clientId, entityId, provider, scopes } = access;
  await dropExcess(store, 'oidc_access_tokens', entityId);
  await sql`
    insert into oidc_access_tokens (hash, client_id, entity_id, provider, scopes, expire_at)
    values (${store.barrier.mac('oidc-access-token', token)}, ${clientId}, ${entityId}, ${provider}, ${scopes}::text[],
            now() + make_interval(secs => ${seconds}))`.execute(store.db);
  return token;
}

/** Undefined when the token does not exist or has expired, or its client does not belong to the namespace. */
export async function findAccess(
  { db, barrier }: Store,
  namespaceId: string,
  token: string,
): Promise<Access | undefined> {
  const { rows } = await rowsOf({ client_id: text, entity_id: text, provider: text, scopes: arrayOf(text) })`
    select t.client_id, t.entity_id, t.provider, t.scopes
      from oidc_access_tokens t join oidc_clients c on c.client_id = t.client_id and c.namespace_id = ${namespaceId}
     where t.hash = ${barrier.mac('oidc-access-token', token)} and t.expire_at > now()`.execute(db);
  const [row] = rows;
  return row && { clientId: row.client_id, entityId: row.entity_id, provider: row.provider, scopes: row.scopes };
}

/** Deletes at most `limit` expired codes, and access tokens. Returns their number. */
export async function dropExpiredLogins({ db }: Pick<Store, 'db'>, limit: number): Promise<number> {
  let dropped = 0;
  for (const table of ['oidc_codes', 'oidc_access_tokens']) {
    const { rows } = await sql`
      delete from ${sql.table(table)} where hash in (
        select hash from ${sql.table(table)} where expire_at <= now() limit ${limit} for update skip locked) returning 1`.execute(
      db,
    );
    dropped += rows.length;
  }
  return dropped;
}
