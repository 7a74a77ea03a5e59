import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation, ReplyForm } from '../contract/row.ts';
import type { Schema } from './schema.ts';

/** The `responses` of an operation. Their common parts are in the components. */
export function responsesOf(verb: Verb, { marks }: Operation): object {
  const own = Object.entries(marks.replies ?? {}).map(([status, form]) => [status, responseOf(status, form)]);
  return {
    200: responseOf('200', 'envelope'),
    ...(verb === 'read' || verb === 'list' ? {} : { 204: responseOf('204', 'none') }),
    '4XX': { $ref: '#/components/responses/Refused' },
    '5XX': { $ref: '#/components/responses/Failed' },
    ...Object.fromEntries(own),
  };
}

function responseOf(status: string, form: ReplyForm): object {
  const description = descriptions[status] ?? (status < '4' ? 'OK' : 'Refused');
  if (form === 'none') return { description };
  if (typeof form === 'object')
    return { description, content: Object.fromEntries(form.mediaTypes.map((type) => [type, { schema: {} }])) };
  return { description, content: { 'application/json': { schema: formSchema(status, form) } } };
}

/** A refusal in the envelope may also have the usual form, as when there is nothing at the path. */
function formSchema(status: string, form: 'envelope' | 'own'): Schema {
  if (form === 'own') return {};
  return status < '4' ? schemaRef('Envelope') : { anyOf: [schemaRef('Envelope'), schemaRef('Errors')] };
}

const descriptions: Readonly<Record<string, string>> = {
  202: 'Accepted: the work goes on',
  204: 'Done, without content',
  304: 'The caller has the current version',
};

/** The common parts of all documents: the forms of replies, and the ways to send a token. */
export const componentsOf = (vocabulary: Vocabulary): object => ({
  schemas: { Envelope: envelope, WrapInfo: wrapInfo, Auth: auth, Errors: errors, Problem: problem },
  responses: {
    Refused: refusal('The request is invalid, or the caller is not allowed to make it'),
    Failed: refusal('The service is temporarily unavailable, or it failed'),
  },
  securitySchemes: {
    token: { type: 'apiKey', in: 'header', name: vocabulary === 'alias' ? 'X-Vault-Token' : 'X-Service-Token' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
});

/** Either of the two ways to send a token. */
export const tokenNeeded = [{ token: [] }, { bearer: [] }] as const;

const textType = { type: 'string' };
const wholeType = { type: 'integer' };
const flagType = { type: 'boolean' };
const textsType = { type: 'array', items: textType };

const schemaRef = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const orNull = (name: string): Schema => ({ nullable: true, allOf: [schemaRef(name)] });

const object = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});

const envelope = object({
  request_id: textType,
  lease_id: textType,
  renewable: flagType,
  lease_duration: wholeType,
  data: { type: 'object', nullable: true },
  wrap_info: orNull('WrapInfo'),
  warnings: { ...textsType, nullable: true },
  auth: orNull('Auth'),
  mount_type: textType,
});

const wrapInfo = object(
  {
    token: textType,
    accessor: textType,
    ttl: { ...wholeType, description: 'Seconds' },
    creation_time: { ...textType, format: 'date-time' },
    creation_path: textType,
    wrapped_accessor: textType,
  },
  ['wrapped_accessor'],
);

const auth = object(
  {
    client_token: textType,
    accessor: textType,
    policies: textsType,
    token_policies: textsType,
    identity_policies: textsType,
    external_namespace_policies: { type: 'object', additionalProperties: textsType },
    metadata: { type: 'object', nullable: true, additionalProperties: textType },
    lease_duration: { ...wholeType, description: 'Seconds' },
    renewable: flagType,
    entity_id: textType,
    token_type: textType,
    orphan: flagType,
    num_uses: wholeType,
  },
  ['token_policies', 'identity_policies', 'external_namespace_policies'],
);

const errors = object(
  {
    errors: textsType,
    problems: {
      type: 'array',
      items: schemaRef('Problem'),
      description: 'The fields that have to change, where the refusal concerns fields of the request',
    },
    warnings: textsType,
  },
  ['problems', 'warnings'],
);

const problem = object({ field: textType, message: { ...textType, description: 'What is wrong with the field' } });

const refusal = (description: string): object => ({
  description,
  content: { 'application/json': { schema: schemaRef('Errors') } },
});
