import type { Changed } from '../../../store/outbox.ts';
import type { Namespaces } from '../../namespaces.ts';

/** What the rows of namespaces are handed. */
export interface NamespaceRowParts {
  readonly namespaces: Namespaces;
  readonly changed: Changed;
}
