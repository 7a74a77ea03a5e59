import { conflict } from '../../../path/jsonapi/error.ts';

/** What is compared of two states. */
export interface Succession {
  readonly serial: number;
  readonly lineage: string | null;
  readonly md5: string | null;
}

/**
 * Whether a state may follow the newest one that is known (reference, workspaces 4): of the same lineage, with a larger serial, or
 * the same state again. `force` waives all of it.
 *
 * @throws ApiError 409
 */
export function mustFollow(next: Succession, known: Succession | undefined, force: boolean): void {
  if (known === undefined || force) return;
  if (isGiven(next.lineage) && isGiven(known.lineage) && next.lineage !== known.lineage)
    throw conflict(
      'The lineage provided in the state file does not match the value currently known for this workspace',
    );
  if (next.serial < known.serial)
    throw conflict(`The serial provided (${next.serial}) is less than the serial currently known (${known.serial})`);
  if (next.serial === known.serial && next.md5 !== known.md5)
    throw conflict(
      'The MD5 hash of the state provided does not match what is currently known for the same serial number',
    );
}

const isGiven = (text: string | null): boolean => text !== null && text !== '';
