import type { IconName } from '../parts/icon.tsx';

/** What the palette leads to. */
export interface Found {
  readonly kind: string;
  readonly name: string;
  readonly icon: IconName;
  readonly href: string;
}

/** What a search found, and in words what it left out. */
export interface Search {
  readonly found: readonly Found[];
  readonly left: readonly string[];
}

/** Of each kind. */
export const eachMax = 8;
