import { conflict } from '#path/jsonapi/error.ts';

/** The properties that determine whether a state may follow another. */
export interface Succession {
  readonly serial: number;
  readonly lineage: string | null;
  readonly md5: string | null;
}

/**
 * A state may follow the newest known one if it has the same lineage and a larger serial, or if it is the same state again. `force`
 * skips the check.
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
