import { badField } from '#core/errors.ts';
import type { DestinationDefinition } from '#destinations/contract.ts';
import type { Vocabulary } from '#path/contract/request.ts';

/**
 * The definition of a type, by its name in either vocabulary.
 * @param field the field of the request that names it
 * @throws AppError `bad-request` that lists the known types in the caller's vocabulary
 */
export function definitionOf(
  definitions: readonly DestinationDefinition[],
  type: string,
  vocabulary: Vocabulary = 'canonical',
  field = 'type',
): DestinationDefinition {
  const found = definitions.find((definition) => definition.type === type || definition.alias === type);
  if (found !== undefined) return found;
  const known = definitions.map((definition) => typeIn(definition, vocabulary)).join(', ');
  throw badField(field, `unknown destination type ${JSON.stringify(type)}: type must be one of ${known}`);
}

/** The type as a reply in this vocabulary names it. */
export const typeIn = ({ type, alias }: DestinationDefinition, vocabulary: Vocabulary): string =>
  vocabulary === 'alias' ? alias : type;

/** A stored type as a reply in this vocabulary names it. */
export function storedTypeIn(
  definitions: readonly DestinationDefinition[],
  stored: string,
  vocabulary: Vocabulary,
): string {
  const definition = definitions.find(({ type }) => type === stored);
  return definition === undefined ? stored : typeIn(definition, vocabulary);
}
