import { sql } from 'kysely';
import { notFound } from '#path/jsonapi/error.ts';
import type { ApiCaller } from '#path/jsonapi/row.ts';
import { bool, type Kind, oneOf, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import { runCallerNow } from './job.ts';

/** The caller for whom an upload address was created. Requests at the address act as this caller. */
export interface Bearer {
  readonly kind: ApiCaller['kind'];
  readonly id: string;
  /** The id of its token, or `ofSecrets`. Undefined in addresses of earlier versions of this service. */
  readonly token: string | undefined;
}

/** Stands for a token of the secrets service, which has no id here. */
const ofSecrets = 'secrets';

export const bearerOf = (caller: ApiCaller): Bearer => ({
  kind: caller.kind,
  id: caller.id,
  token: caller.tokenId ?? ofSecrets,
});

type Db = Pick<Store, 'db'>;

/**
 * The caller behind an upload address, with its present rights.
 *
 * @throws ApiError 404 for a caller that was suspended or deleted, or whose token was deleted or expired
 */
export async function callerNow({ db }: Db, bearer: Bearer): Promise<ApiCaller> {
  if (bearer.kind === 'run') return (await runCallerNow(db, { id: bearer.id, token: bearer.token ?? '' })) ?? gone();
  if (bearer.kind === 'agents' || bearer.kind === 'task') throw notFound();
  if (bearer.token !== undefined && bearer.token !== ofSecrets) await mustLive({ db }, bearer.kind, bearer);
  // Tokens of audit trails cannot upload.
  if (bearer.kind === 'audit-trail') throw notFound();
  if (bearer.kind === 'user') return userNow({ db }, bearer);
  const tokenId = bearer.token ?? '';
  if (bearer.kind === 'organization') return { kind: 'organization', id: bearer.id, tokenId, actsIn: new Set() };
  const { rows } = await rowsOf({ organization_id: text })`
    select organization_id from ws_teams where id = ${bearer.id}`.execute(db);
  const [team] = rows;
  if (team === undefined) throw notFound();
  return { kind: 'team', id: bearer.id, organizationId: team.organization_id, tokenId, actsIn: new Set() };
}

/** The kinds of callers that rows name as their creator. What an agent creates is created by the creator of the run. */
export type MakerKind = Exclude<ApiCaller['kind'], 'agents' | 'run' | 'task'>;

export const callerKind: Kind<MakerKind> = oneOf('user', 'team', 'organization', 'audit-trail');

const ownerColumns = {
  user: 'user_id',
  team: 'team_id',
  organization: 'organization_id',
  'audit-trail': 'organization_id',
} as const satisfies Record<MakerKind, string>;

function gone(): never {
  throw notFound();
}

async function mustLive({ db }: Db, kind: MakerKind, { id, token: tokenId }: Bearer): Promise<void> {
  const { rows } = await sql`
    select 1 from ws_tokens
     where id = ${tokenId} and ${sql.ref(ownerColumns[kind])} = ${id} and (expire_at is null or expire_at > now())`.execute(
    db,
  );
  if (rows.length === 0) throw notFound();
}

/** The user of a token of the secrets service is bound to an entity, which may have been disabled since. */
async function userNow({ db }: Db, { id, token }: Bearer): Promise<ApiCaller> {
  const { rows } = await rowsOf({ username: text, site_admin: bool })`
    select u.username, u.site_admin from ws_users u left join entities e on e.id = u.entity_id
     where u.id = ${id} and not u.suspended
       and (${token !== ofSecrets} or u.id = 'user-root' or e.disabled is false)`.execute(db);
  const [user] = rows;
  if (user === undefined) throw notFound();
  const tokenId = token === ofSecrets ? undefined : token;
  const { username, site_admin: siteAdmin } = user;
  return { kind: 'user', id, username, siteAdmin, tokenId, elsewhere: undefined, actsIn: new Set() };
}

/** The creator of a row, for addresses of earlier versions of this service, which do not name the caller. */
export function makerOf(row: {
  readonly created_by_kind: MakerKind | null;
  readonly created_by: string | null;
}): Bearer {
  const { created_by_kind: kind, created_by: id } = row;
  if (kind === null || id === null) throw notFound();
  return { kind, id, token: undefined };
}
