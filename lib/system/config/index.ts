import type { Row } from '#path/contract/row.ts';
import type { Store } from '#store/store.ts';
import { corsRow } from './cors.ts';
import { type Reloads, reloadRows } from './reload.ts';
import { type ShownConfig, stateRow } from './state.ts';
import { uiHeaderRows } from './ui-headers.ts';

export { readCors } from './cors.ts';

/** `sys/config/`. */
export const configRows = (store: Store, shown: ShownConfig, reloads: Reloads): readonly Row[] => [
  corsRow(store),
  ...uiHeaderRows(store),
  stateRow(shown),
  ...reloadRows(reloads),
];
