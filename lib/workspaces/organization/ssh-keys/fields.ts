import { text } from '../../../path/jsonapi/fields.ts';

/** Attributes of an SSH key as a request gives them. The value is only written. */
export const sshKeyFields = {
  name: text(255).trim().min(1, "can't be blank"),
  value: text(16_384).min(1, "can't be blank"),
};
