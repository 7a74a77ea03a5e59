// Beyond the usual files: a page of the vault's secrets is another request than a look, and shows less.
import type { SecretProperties } from '@azure/keyvault-secrets';
import type { Listed, ListFrom, ListPage } from '../../contract.ts';
import type { Client } from '../client/client.ts';
import { type Link, links } from '../client/links.ts';
import { markTag } from '../names.ts';

/** The service's maximum. */
const pageSize = 25;

/**
 * A page of the vault. It shows neither versions nor a selection by name; the times are those of the newest versions, in seconds:
 * https://learn.microsoft.com/rest/api/keyvault/secrets/get-secrets
 */
export async function list(client: Client, { after }: ListFrom, signal: AbortSignal): Promise<ListPage> {
  const link: Link = { next: null };
  const from = after === null ? { maxPageSize: pageSize } : { continuationToken: after };
  const page = await client.read(signal, (secrets) =>
    links.run(link, () => secrets.listPropertiesOfSecrets({ abortSignal: signal }).byPage(from).next()),
  );
  const found: readonly SecretProperties[] = page.done === true ? [] : page.value;
  return { objects: found.map(toListed), after: link.next };
}

/** `updatedOn` is that of tags and attributes too. */
const toListed = ({ name, createdOn, updatedOn, tags = {} }: SecretProperties): Listed => ({
  name,
  remoteVersion: null,
  changedAt: updatedOn ?? createdOn ?? null,
  mark: tags[markTag] ?? null,
  tags,
});
