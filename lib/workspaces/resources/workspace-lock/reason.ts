import { isJsonObject, type Json } from '#core/json/json.ts';
import { badRequest, invalidAttribute } from '#path/jsonapi/error.ts';
import { otherBody } from '#path/jsonapi/input.ts';

const reasonCharactersMax = 1_000;

/**
 * The reason for a lock in a request: at the top level of the body or as an attribute of a document of any type; empty without
 * either.
 *
 * @throws ApiError 400 for a body that is not an object, 422 for an invalid reason
 */
function reasonOf(body: Json | undefined): string {
  const reason = sentReason(body) ?? '';
  if (typeof reason !== 'string') throw invalidAttribute('reason', 'Reason must be a string');
  if (reason.length > reasonCharactersMax)
    throw invalidAttribute('reason', `Reason is too long (maximum is ${reasonCharactersMax} characters)`);
  return reason;
}

const text = { type: 'string', maxLength: reasonCharactersMax };

/** The body of a lock, which clients may leave out. */
export const reasonBody = otherBody(
  {
    schema: {
      type: 'object',
      properties: {
        reason: text,
        data: {
          type: 'object',
          properties: { attributes: { type: 'object', properties: { reason: text } } },
        },
      },
    },
    optional: true,
  },
  reasonOf,
);

function sentReason(body: Json | undefined): Json | undefined {
  const document = objectIn(body);
  return objectIn(objectIn(document['data'])['attributes'])['reason'] ?? document['reason'];
}

function objectIn(value: Json | undefined) {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw badRequest('the body must be an object that contains objects');
  return value;
}
