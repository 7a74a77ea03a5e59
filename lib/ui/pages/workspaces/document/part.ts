import type { Item } from './items.ts';

/** What a part of a workspace is made of. */
export interface PartProps {
  readonly organization: string;
  readonly workspace: Item;
}
