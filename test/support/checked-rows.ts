import { afterAll, afterEach, expect } from 'vitest';
import { checkRows } from '#store/sql/checking.ts';

/**
 * Before each test file: every result is checked against the columns that its statement names. A mismatch fails the test that
 * runs, even where the code under test survives the error.
 */
const mismatches: string[] = [];
checkRows((mismatch) => mismatches.push(mismatch));

const expectNone = () => expect(mismatches.splice(0)).toEqual([]);
afterEach(expectNone);
afterAll(expectNone);
