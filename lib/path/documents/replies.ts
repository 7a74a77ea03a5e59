import type { Verb, Vocabulary } from '../contract/request.ts';
import type { Operation } from '../contract/row.ts';
import type { Schema } from './schema.ts';

/** The `responses` of an operation. What they have in common stands in the components. */
export function responsesOf(verb: Verb, { marks }: Operation): object {
  const schema = marks.ownForm === true ? {} : { $ref: '#/components/schemas/Envelope' };
  const done = { description: 'OK', content: { 'application/json': { schema } } };
  return {
    200: done,
    ...(verb === 'read' || verb === 'list' ? {} : { 204: { description: 'Done, nothing to say' } }),
    '4XX': { $ref: '#/components/responses/Refused' },
    '5XX': { $ref: '#/components/responses/Failed' },
  };
}

/** What all documents have in common: the forms of replies, and how a token is sent. */
export const componentsOf = (vocabulary: Vocabulary): object => ({
  schemas: { Envelope: envelope, WrapInfo: wrapInfo, Auth: auth, Errors: errors },
  responses: {
    Refused: refusal('The request cannot be carried out as it is, or not by this caller'),
    Failed: refusal('The service cannot answer at present, or has failed'),
  },
  securitySchemes: {
    token: { type: 'apiKey', in: 'header', name: vocabulary === 'alias' ? 'X-Vault-Token' : 'X-Service-Token' },
    bearer: { type: 'http', scheme: 'bearer' },
  },
});

/** Either of the two ways in which a token is sent. */
export const tokenNeeded = [{ token: [] }, { bearer: [] }] as const;

const textType = { type: 'string' };
const wholeType = { type: 'integer' };
const flagType = { type: 'boolean' };
const textsType = { type: 'array', items: textType };

const orNull = (name: string): Schema => ({ nullable: true, allOf: [{ $ref: `#/components/schemas/${name}` }] });

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

const errors = object({ errors: textsType, warnings: textsType }, ['warnings']);

const refusal = (description: string): object => ({
  description,
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Errors' } } },
});
