import { z } from 'zod';
import { keyText } from './stored.ts';

/** The stored state of a rekey in progress. */
export const rekeySchema = z
  .object({
    rule: z.object({ shares: z.int(), threshold: z.int() }).readonly(),
    verification: z.boolean(),
    /** Shares of the current key; during verification, shares of the new one. */
    given: z.array(keyText).readonly(),
    /** The new key as wrapped by `Proof.renew`; set when the new shares have been issued and are waiting for verification. */
    rootKey: keyText.optional(),
  })
  .readonly();
export type RekeyState = z.output<typeof rekeySchema>;
