import { isJsonObject, type Json } from '../../../core/json.ts';
import { badRequest, invalidAttribute } from '../../../path/jsonapi/error.ts';
import type { ApiCall } from '../../../path/jsonapi/row.ts';

const reasonCharactersMax = 1_000;

/**
 * Why a workspace is being locked, as clients send it: at the top of the body or as an attribute of a document of any type; empty if
 * neither is there (reference, workspaces 1.5).
 *
 * @throws ApiError 400 for what is no object, 422 for what is no reason
 */
export function reasonOf({ body }: Pick<ApiCall, 'body'>): string {
  const reason = sentReason(body) ?? '';
  if (typeof reason !== 'string') throw invalidAttribute('reason', 'Reason must be a string');
  if (reason.length > reasonCharactersMax)
    throw invalidAttribute('reason', `Reason is too long (maximum is ${reasonCharactersMax} characters)`);
  return reason;
}

function sentReason(body: Json | undefined): Json | undefined {
  const document = objectIn(body);
  return objectIn(objectIn(document['data'])['attributes'])['reason'] ?? document['reason'];
}

function objectIn(value: Json | undefined) {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw badRequest('the body has to be an object with objects in it');
  return value;
}
