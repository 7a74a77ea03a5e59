import type { Vocabulary } from '#path/contract/request.ts';
import type { Page } from '#path/listing.ts';
import { invalidPosition, pageOf, partsOf, sizeOf } from '../fields/pages.ts';
import type { SyncParts } from '../parts.ts';
import type { ListedSecret } from './listed-secrets.ts';
import { loadAssociations, ofDestination, ofDestinationAfter, type SecretPosition } from './store.ts';
import { associatedSecrets } from './view.ts';

/** A page of the associations of a destination. */
export async function partOfDestination(parts: SyncParts, id: string, page: Page, vocabulary: Vocabulary) {
  const after = positionIn(page);
  const selection = after === undefined ? ofDestination(id) : ofDestinationAfter(id, after);
  const rows = await loadAssociations(parts.store, selection, sizeOf(page));
  const { shown, more, warnings } = pageOf(rows, page, positionOf);
  const { associated_secrets } = associatedSecrets(shown, vocabulary);
  return { data: { associated_secrets, ...more }, warnings };
}

/** A position is the id of a mount and the name of a secret: the path of a mount may end anywhere in a path. */
export const positionOf = ({ mount_id, secret_name }: Pick<ListedSecret, 'mount_id' | 'secret_name'>): string =>
  `${mount_id}/${secret_name}`;

export function positionIn({ after }: Page): SecretPosition | undefined {
  if (after === '') return undefined;
  const [mountId, secretName] = partsOf(after);
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(mountId)) throw invalidPosition();
  return { mountId, secretName };
}
