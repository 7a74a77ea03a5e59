import type { Reply } from '#path/contract/reply.ts';
import type { RequestContext } from '#path/contract/request.ts';
import type { Page } from '#path/listing.ts';
import { pageOf, sizeOf } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import { type ListedSecret, listSecrets } from './listed-secrets.ts';
import { positionIn, positionOf } from './part.ts';
import { truncated } from './store.ts';

type ReadContext = Pick<RequestContext, 'namespace' | 'warn'>;

/** Every secret that is associated with a destination, by its path. */
export async function listAll(parts: SyncParts, { namespace, warn }: ReadContext): Promise<Reply> {
  const secrets = truncated(await listSecrets(parts.store, namespace.id), 'associated secrets', warn);
  if (secrets.length === 0) return undefined;
  const total_associations = secrets.reduce((sum, { count }) => sum + count, 0);
  const shown = byPath(secrets);
  return { data: { ...shown, total_associations, total_secrets: shown.keys.length } };
}

/** A page of them. Their order is that of an index, by name and mount. */
export async function listPart(
  parts: SyncParts,
  page: Page,
  { namespace }: Pick<ReadContext, 'namespace'>,
): Promise<Reply> {
  const rows = await listSecrets(parts.store, namespace.id, { after: positionIn(page), size: sizeOf(page) });
  const { shown, more, warnings } = pageOf(rows, page, positionOf);
  return shown.length === 0 ? undefined : { data: { ...byPath(shown), ...more }, warnings };
}

function byPath(secrets: readonly ListedSecret[]) {
  const grouped = [...Map.groupBy(secrets, pathOf)].sort(([one], [other]) => (one < other ? -1 : 1));
  const entries = grouped.map(([path, same]) => [path, same.slice(0, 1).map(toListed)] as const);
  return { keys: grouped.map(([path]) => path), key_info: Object.fromEntries(entries) };
}

/** Secrets of a deleted mount and of its successor can have the same path. */
const pathOf = ({ mount_path, secret_name }: ListedSecret): string => mount_path + secret_name;

const toListed = ({ mount_path, secret_name }: ListedSecret): object => ({
  mount: mount_path,
  secret_path: secret_name,
});
