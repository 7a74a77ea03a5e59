import type { JsonObject } from '../../../core/json.ts';
import { relatedMany } from '../../../path/jsonapi/body.ts';
import { unprocessable } from '../../../path/jsonapi/error.ts';
import { flag, text } from '../../../path/jsonapi/fields.ts';

/** Attributes of a variable set that a client sends. */
export const setFields = {
  name: text(255).min(1, "can't be blank"),
  description: text(512).nullable(),
  global: flag(),
  priority: flag(),
};

/** Ids of a relationship of a document, without those that stand twice; undefined: it is not there. @throws ApiError 422 */
export function idsIn(data: JsonObject, relationship: string): readonly string[] | undefined {
  const list = relatedMany(data, relationship);
  return list && [...new Set(list.map(({ id }) => textId(id, relationship)))];
}

function textId(id: unknown, relationship: string): string {
  if (typeof id === 'string' && id !== '') return id;
  throw unprocessable(`${relationship}: id has to be a text`);
}
