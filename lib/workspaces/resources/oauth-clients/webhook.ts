import { randomBytes } from 'node:crypto';
import { notFound, unprocessable } from '#path/jsonapi/error.ts';
import type { DocumentReply } from '#path/jsonapi/row.ts';
import { bytea, nullable, text } from '#store/sql/kinds.ts';
import { rowsOf } from '#store/sql/rows.ts';
import type { Store } from '#store/store.ts';
import type { providers } from './fields.ts';

/** The webhooks that a provider can be given, by the names of the providers. */
export const webhookForms: Partial<Record<keyof typeof providers, 'github' | 'gitlab' | 'bitbucket'>> = {
  bitbucket_data_center: 'bitbucket',
  bitbucket_hosted: 'bitbucket',
  bitbucket_server: 'bitbucket',
  github: 'github',
  github_enterprise: 'github',
  gitlab_community_edition: 'gitlab',
  gitlab_enterprise_edition: 'gitlab',
  gitlab_hosted: 'gitlab',
};

/** The address to which repository hosts report pushes and pull requests. */
export const webhookPath = (clientId: string): string => `/api/v2/webhooks/vcs/${clientId}`;

/** Additional authenticated data for the encrypted secret of a webhook. */
const aad = (clientId: string): string => `ws_oauth_clients/${clientId}/webhook`;

const secretBytes = 32;

/**
 * Gives a client a webhook with a new secret, which is shown once. A former secret ends at once.
 *
 * @throws ApiError 404, 422 when the provider has no webhook that this service can verify
 */
export async function makeWebhook(
  { db, barrier }: Pick<Store, 'db' | 'barrier'>,
  clientId: string,
  origin: string,
): Promise<DocumentReply> {
  const secret = randomBytes(secretBytes).toString('hex');
  const { rows } = await rowsOf({ provider: text })`
    update ws_oauth_clients c set webhook_secret = case
             when c.settings->>'service-provider' = any(${Object.keys(webhookForms)}::text[])
             then ${barrier.seal(secret, aad(clientId))}::bytea end
     where c.id = ${clientId} returning c.settings->>'service-provider' as provider`.execute(db);
  const [row] = rows;
  if (row === undefined) throw notFound();
  if (!Object.hasOwn(webhookForms, row.provider))
    throw unprocessable('Webhooks of this provider cannot be verified: use the action ingress of a workspace');
  const attributes = { url: `${origin}${webhookPath(clientId)}`, secret };
  return { status: 201, data: { id: clientId, type: 'webhooks', attributes } };
}

/** The form and the secret of a client's webhook; undefined for an unknown client or one without a webhook. */
export async function webhookOf({ db, barrier }: Pick<Store, 'db' | 'barrier'>, clientId: string) {
  const { rows } = await rowsOf({ provider: text, webhook_secret: nullable(bytea), organization_id: text })`
    select settings->>'service-provider' as provider, webhook_secret, organization_id from ws_oauth_clients
     where id = ${clientId}`.execute(db);
  const [row] = rows;
  const form = Object.entries(webhookForms).find(([name]) => name === row?.provider)?.[1];
  if (row === undefined || row.webhook_secret === null || form === undefined) return undefined;
  const secret = barrier.open(row.webhook_secret, aad(clientId)).toString();
  return { form, secret, organizationId: row.organization_id };
}
