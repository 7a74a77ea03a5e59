import type { Namespace } from '../../../core/namespace.ts';
import type { NamespaceState } from '../../namespaces.ts';

/** A namespace as the API family shows it; its path is the full one. */
export const namespaceView = ({ id, uuid, path, customMetadata, locked, isEnding }: NamespaceState): object => ({
  id,
  uuid,
  path,
  custom_metadata: customMetadata,
  locked,
  tainted: isEnding,
});

/** As it is listed in the namespace above it. */
export const nameBelow = (parent: Namespace, { path }: NamespaceState): string => path.slice(parent.path.length);
