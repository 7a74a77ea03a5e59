import type { Row } from '#path/contract/row.ts';
import { changeRows } from './change.ts';
import type { LeasesOf } from './contract.ts';
import { lookRows } from './look.ts';

/** `sys/leases`, and the equivalent paths of older clients. */
export const leaseRows = (leases: LeasesOf): readonly Row[] => [...lookRows(leases), ...changeRows(leases)];
