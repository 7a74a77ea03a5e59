import type { Clock } from '#core/clock.ts';
import type { Attributes } from '#path/jsonapi/body.ts';
import { text, time } from '#path/jsonapi/fields.ts';

/** Attributes of a token in a request. */
export const tokenFields = (clock: Clock) => ({
  description: text(512).nullable(),
  'expired-at': time()
    .refine((value) => value > clock.now(), 'must be in the future')
    .nullable(),
});

export type SentToken = Attributes<ReturnType<typeof tokenFields>>;
