import { z } from 'zod';

/** An action of a kept plan: of the object with this name at the destination. It holds no value. */
export const keptAction = z
  .strictObject({
    name: z.string(),
    action: z.enum(['create', 'update', 'delete']),
    /** What the look of the plan found; null: nothing, or no version. */
    version: z.string().nullable(),
    /** The plan looked at the object. */
    looked: z.boolean(),
  })
  .readonly();

export type KeptAction = z.infer<typeof keptAction>;
