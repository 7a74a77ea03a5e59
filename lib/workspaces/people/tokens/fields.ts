import { text, time } from '../../../path/jsonapi/fields.ts';

/** Attributes of a token that clients send. */
export const tokenFields = {
  description: text(512).nullable(),
  'expired-at': time()
    .refine((value) => value.getTime() > Date.now(), 'must be in the future')
    .nullable(),
};
