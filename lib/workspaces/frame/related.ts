import type { JsonObject } from '#core/json/json.ts';
import { unprocessable } from '#path/jsonapi/error.ts';

/** The distinct ids of a relationship; undefined when the document does not have it. @throws ApiError 422 */
export const relatedIds = (
  list: readonly JsonObject[] | undefined,
  relationship: string,
): readonly string[] | undefined => list && [...new Set(list.map(({ id }) => textId(id, relationship)))];

function textId(id: unknown, relationship: string): string {
  if (typeof id === 'string' && id !== '') return id;
  throw unprocessable(`${relationship}: id must be a string`);
}
