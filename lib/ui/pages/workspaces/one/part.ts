import type { Item } from '../document/items.ts';

/** What a part of a workspace is made of. */
export interface PartProps {
  readonly organization: string;
  readonly workspace: Item;
}
