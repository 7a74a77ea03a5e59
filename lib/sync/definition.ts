import { badRequest } from '../core/errors.ts';
import type { DestinationDefinition } from '../destinations/contract.ts';
import type { Vocabulary } from '../path/contract/request.ts';
import { canonicalType, typeName } from '../path/vocabulary.ts';

/**
 * A type by its name in either vocabulary.
 * @throws AppError `bad-request` that names the types there are, in the caller's vocabulary
 */
export function definitionOf(
  definitions: readonly DestinationDefinition[],
  type: string,
  vocabulary: Vocabulary = 'canonical',
): DestinationDefinition {
  const found = definitions.find((definition) => definition.type === canonicalType(type));
  if (found !== undefined) return found;
  const known = definitions.map((definition) => typeName(definition.type, vocabulary)).join(', ');
  throw badRequest(`unknown destination type ${JSON.stringify(type)}: type is one of ${known}`);
}
