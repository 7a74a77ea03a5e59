import { z } from 'zod';

/** The largest value of PostgreSQL's type `integer`. */
const storedMax = 2_147_483_647;

/** A number that a column of the type `integer` can hold. */
export const storedInteger = z.int().max(storedMax, `expected a number of at most ${storedMax}`);
