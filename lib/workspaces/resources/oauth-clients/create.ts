import { sql, type Transaction } from 'kysely';
import type { JsonObject } from '#core/json/json.ts';
import { invalidAttribute, unprocessable } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import type { Store } from '#store/store.ts';
import type { Database } from '#store/tables.ts';
import type { Standing } from '../../access/standing.ts';
import { newId } from '../../frame/ids.ts';
import { withRefusals } from '../../frame/refusals.ts';
import type { NewClient } from './fields.ts';
import { readClient } from './find.ts';
import { bindProjects, projectIdsOf } from './projects.ts';
import { addToken } from './tokens.ts';
import { type ClientSettings, clientResource } from './view.ts';

/** OAuth clients of one organization. */
const clientsMax = 1_000;

interface SentClient {
  readonly attributes: NewClient;
  readonly related: { readonly projects: readonly JsonObject[] | undefined };
}

/** Creates a client with the token in the request. The reply contains the id of the token. */
export async function createClient(
  store: Store,
  standing: Standing,
  { attributes: sent, related }: SentClient,
): Promise<DocumentReply> {
  const settings = settingsOf(sent);
  const projects = projectIdsOf(related.projects ?? []);
  const [id, organizationId] = [newId('oc'), standing.organization.id];
  await withRefusals({}, () =>
    store.transaction(async (tx) => {
      await insert(tx, store, { id, organizationId, settings, sent });
      await bindProjects(tx, { id, organization_id: organizationId }, projects);
      const token = sent['oauth-token-string'];
      if (typeof token === 'string') await addToken(tx, store, id, token);
    }),
  );
  return { status: 201, data: clientResource(standing, await readClient(store, id)) };
}

async function insert(
  tx: Transaction<Database>,
  { barrier }: Pick<Store, 'barrier'>,
  made: {
    readonly id: string;
    readonly organizationId: string;
    readonly settings: ClientSettings;
    readonly sent: NewClient;
  },
): Promise<void> {
  const { id, organizationId, settings, sent } = made;
  const sealed = (text: string | null | undefined) => (typeof text === 'string' ? barrier.seal(text, aad(id)) : null);
  const { rows } = await sql`
    insert into ws_oauth_clients (id, organization_id, settings, secret, private_key)
    select ${id}, ${organizationId}, ${JSON.stringify(settings)}::jsonb, ${sealed(sent.secret)}::bytea, ${sealed(sent['private-key'])}::bytea
     where (select count(*) from ws_oauth_clients where organization_id = ${organizationId}) < ${clientsMax}
    returning id`.execute(tx);
  if (rows.length === 0) throw unprocessable(`An organization may have at most ${clientsMax} OAuth clients`);
}

/** Additional authenticated data for the encrypted secrets of a client. */
export const aad = (id: string): string => `ws_oauth_clients/${id}`;

/** Providers whose clients may be created without a key or a token. */
const isLinkedLater: ReadonlySet<string> = new Set(['bitbucket_data_center', 'bitbucket_server']);

/** @throws ApiError 422 when the attributes do not suffice to use the client */
function settingsOf(sent: NewClient): ClientSettings {
  const { 'service-provider': provider, 'http-url': http, 'api-url': api } = sent;
  if (provider === undefined) throw blank('service-provider');
  if (http === undefined) throw blank('http-url');
  if (api === undefined) throw blank('api-url');
  const isLater = isLinkedLater.has(provider) || (isGiven(sent.key) && isGiven(sent.secret));
  if (!isGiven(sent['oauth-token-string']) && !isLater) throw blank('oauth-token-string');
  if (provider === 'ado_server' && !isGiven(sent['private-key'])) throw blank('private-key');
  return {
    name: sent.name ?? null,
    key: sent.key ?? null,
    'rsa-public-key': sent['rsa-public-key'] ?? null,
    'organization-scoped': sent['organization-scoped'] ?? true,
    'service-provider': provider,
    'http-url': http,
    'api-url': api,
  };
}

const isGiven = (text: string | null | undefined): boolean => typeof text === 'string' && text !== '';

const blank = (name: string) =>
  invalidAttribute(name, `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')} can't be blank`);
