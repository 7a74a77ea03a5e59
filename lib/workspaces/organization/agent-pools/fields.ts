import { flag, text } from '../../../path/jsonapi/fields.ts';

/** Attributes of an agent pool as a request gives them. */
export const agentPoolFields = {
  name: text(255).trim().min(1, "can't be blank"),
  'organization-scoped': flag(),
};

/** Attributes of a token of a pool. */
export const agentTokenFields = {
  description: text(255).trim().min(1, "can't be blank"),
};
