import { z } from 'zod';
import { keyText } from './stored.ts';

/** What is kept of a rekey that is going on. */
export const rekeyForm = z
  .object({
    rule: z.object({ shares: z.int(), threshold: z.int() }).readonly(),
    verification: z.boolean(),
    /** Shares of the present key, and of the new one when it is verified. */
    given: z.array(keyText).readonly(),
    /** What the new key is kept as (`Proof.renew`); set when the new shares are out and wait to be verified. */
    rootKey: keyText.optional(),
  })
  .readonly();
export type RekeyState = z.output<typeof rekeyForm>;
