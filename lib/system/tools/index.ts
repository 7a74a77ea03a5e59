import type { Row } from '#path/contract/row.ts';
import { hashRows } from './hash.ts';
import { randomRows } from './random.ts';

/** `sys/tools/`. */
export const toolRows = (): readonly Row[] => [...randomRows(), ...hashRows()];
