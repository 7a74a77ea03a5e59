import type { DestinationDefinition } from '#destinations/contract.ts';
import type { NetworkBounds } from '#network/bounds.ts';
import type { Webhooks } from '#network/webhooks.ts';
import type { Store } from '#store/store.ts';

/** What the rows of events and notifications depend on. */
export interface NoticeParts {
  readonly store: Store;
  readonly definitions: readonly DestinationDefinition[];
  readonly webhooks: Pick<Webhooks, 'post'>;
  readonly networkBounds: NetworkBounds;
  /** Longest time that a request may wait for something new, in milliseconds, so that it is answered before it is cut off. */
  readonly pollMsMax: number;
}
