import { z } from 'zod';

/**
 * Whose an object is that no association of this installation holds: `left-behind` has a mark, so this or another installation made it, and
 * its association is not here (any more); `other` has none.
 */
export const foreignOrigins = ['left-behind', 'other'] as const;

/** An object at the destination that is not ours. */
export const foreignShape = z.object({
  name: z.string(),
  origin: z.enum(foreignOrigins),
  /** Null where the list of the system shows none. */
  version: z.string().nullable(),
  changed_at: z.string().nullable(),
  tag_names: z.array(z.string()),
  /** The association whose object it has replaced. */
  in_place_of: z.object({ id: z.string(), mount: z.string(), secret_name: z.string() }).nullable(),
});

export type Foreign = z.infer<typeof foreignShape>;

/** Where the next answer continues: a page of the system's list, and how many of its objects were shown. */
export const placeShape = z.object({ page: z.string().nullable(), skip: z.int().min(0) });

export type ForeignPlace = z.infer<typeof placeShape>;
